// Elements made of names and texts. Nothing here, or anywhere on the page, reads a text as markup.

/**
 * An element. Attributes: `on...` is a listener, true an empty attribute, null and false none.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)> | null} [attributes]
 * @param {...import("./types").Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** @param {Node} parent @param {import("./types").Child[]} children */
export function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child);
    else if (child instanceof Node) parent.appendChild(child);
    else if (child !== null && child !== undefined && child !== false) parent.appendChild(document.createTextNode(String(child)));
  }
}

/** Put these children in place of all others. @param {Element} parent @param {...import("./types").Child} children */
export function fill(parent, ...children) {
  const made = document.createDocumentFragment();
  append(made, children);
  parent.replaceChildren(made);
}

/**
 * Draw anew what is in a place; what had the focus by its `data-keep` has it again.
 * @param {HTMLElement} place @param {() => void} draw
 */
export function redraw(place, draw) {
  // Within a shadow root the document itself knows only its host.
  const root = /** @type {Document | ShadowRoot} */ (place.getRootNode());
  const active = /** @type {HTMLElement | null} */ (root.activeElement);
  const kept = active && place.contains(active) ? active.dataset.keep : undefined;
  draw();
  if (kept && !place.contains(root.activeElement)) {
    /** @type {HTMLElement | null} */ (place.querySelector(`[data-keep="${kept}"]`))?.focus();
  }
}

/** A text of a file: it may run from right to left without turning what stands beside it. @param {string | null | undefined} text */
export const told = (text) => (text ? h("bdi", null, text) : null);

/**
 * A table: a caption, column heads, rows of cells; the first cell of a row is its head.
 * @param {string} name the class @param {import("./types").Child} caption
 * @param {import("./types").Child[]} head @param {import("./types").Child[][]} rows
 */
export function grid(name, caption, head, rows) {
  return h("table", { class: name },
    caption ? h("caption", null, caption) : null,
    h("thead", null, h("tr", null, head.map((cell, index) => (index || cell ? h("th", { scope: "col" }, cell) : h("td"))))),
    h("tbody", null, rows.map((row) => h("tr", null,
      row.map((cell, index) => (index ? h("td", null, cell) : h("th", { scope: "row" }, cell)))))));
}
