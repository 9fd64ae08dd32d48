// The theme that was chosen last, before anything is drawn.
"use strict";
try {
  document.documentElement.dataset.theme = localStorage.getItem("bridgespec-theme") ?? "";
} catch {
  // Without storage the system's theme holds.
}
