// The double-dummy solver as the page asks it.

/** @returns {import("./types").Engine} */
export function makeEngine() {
  throw new Error("the solver is not built in yet");
}
