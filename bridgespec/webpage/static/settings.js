// What a reader chose, kept by the browser where it keeps anything for such a page.

const PLACE = "bridgespec-page";

export class Settings {
  constructor() {
    this.worth = true;
    this.fourColours = false;
    /** How a ten is spelled, where the reader chose; else as the page has it. */
    this.ten = "";
    try {
      Object.assign(this, JSON.parse(localStorage.getItem(PLACE) ?? "{}"));
    } catch {
      // A browser may refuse, for a file or in private; then the page forgets.
    }
    this.apply();
  }

  /** @param {"worth" | "fourColours" | "ten"} name @param {boolean | string} value */
  set(name, value) {
    Object.assign(this, { [name]: value });
    this.apply();
    try {
      localStorage.setItem(PLACE, JSON.stringify({ worth: this.worth, fourColours: this.fourColours, ten: this.ten }));
    } catch {
      // As above.
    }
  }

  apply() {
    document.documentElement.classList.toggle("four", this.fourColours);
  }
}
