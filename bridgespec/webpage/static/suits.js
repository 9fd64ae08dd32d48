// The best play of each suit, as it was worked out when the page was made: beside double dummy, which sees all hands, what declarer knows.

import { fill, h } from "./dom.js";

/** @param {import("./types").Entry} entry @param {Record<string, import("./types").SuitPlay[][]>} plays @param {import("./words.js").Words} words */
export function suitsView(entry, plays, words) {
  const sides = plays[(entry.holders ?? []).join("")];
  if (!sides?.some((suits) => suits.length)) return null;
  const { say } = words;
  const percent = new Intl.NumberFormat(words.language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  /** @param {string} ranks */
  const held = (ranks) => [...ranks].map((rank) => words.ranks["AKQJT98765432".indexOf(rank)]).join("") || say("void");
  /** @param {import("./types").SuitPlay} play */
  const suit = ({ suit: place, dummy, own, goals, picture }) => {
    const name = `${held(dummy)} – ${held(own)}`;
    const drawing = h("details", null, h("summary", null, say("drawn")));
    drawing.addEventListener("toggle", () => fill(drawing, h("summary", null, say("drawn")),
      h("img", { src: `data:image/svg+xml,${encodeURIComponent(picture)}`, alt: name })));
    return h("div", { class: "suitplay" }, h("h3", null, words.sign(place), " ", name),
      h("table", null, h("tbody", null, goals.map(({ tricks, percent: chance, exact, line }) => h("tr", null,
        h("th", { scope: "row" }, say("tricksOf", { n: tricks })), h("td", { class: "n" }, `${exact ? "" : "≥ "}${percent.format(chance)} %`), h("td", null, line))))), drawing);
  };
  const place = h("section", { class: "suits" });
  fill(place, h("h2", null, say("suits")), h("p", { class: "quiet source" }, say("suitsAbout")),
    sides.map((suits, side) => (suits.length ? h("details", null, h("summary", null, words.sides[side]), suits.map(suit)) : null)));
  return place;
}
