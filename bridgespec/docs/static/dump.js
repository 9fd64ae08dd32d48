// Lays out the part of the file that is asked for; all others stay compressed.
"use strict";
(() => {
  const place = document.getElementById("part");
  const pager = document.querySelector(".pager");
  const select = pager && pager.querySelector("select");
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  };
  let now = 0;
  const show = async (index) => {
    const packed = document.getElementById(`packed-${index}`);
    if (!packed) return;
    now = index;
    place.innerHTML = await unpack(packed.textContent);
    if (select) {
      select.value = String(index);
      pager.querySelector('[data-step="-1"]').disabled = index === 0;
      pager.querySelector('[data-step="1"]').disabled = index === select.options.length - 1;
    }
    window.bridgespecAnnotate(place);
  };
  if (pager) {
    select.addEventListener("change", () => show(Number(select.value)));
    for (const button of pager.querySelectorAll("button")) {
      button.addEventListener("click", () => show(now + Number(button.dataset.step)));
    }
    pager.querySelector('[data-step="-1"]').disabled = true;
  }

  // --- go to, and find ------------------------------------------------------------------------------------------------

  const seekers = document.querySelector(".seekers");
  const parts = [...document.querySelectorAll("script[id^=packed-]")].map(({ dataset }) => ({
    start: Number(dataset.start), stop: Number(dataset.stop), first: dataset.first === "" ? null : Number(dataset.first), last: Number(dataset.last),
  }));
  const note = seekers.querySelector("[role=status]");
  seekers.hidden = false;

  /** The elements of a part that are its bytes or pieces of text, each with the offset of its first byte. */
  const atoms = (within) => {
    const rows = [...within.querySelectorAll(".source .row[data-o]")];
    if (rows.length) {
      return rows.flatMap((row) => [...row.children].slice(1).flatMap((cell, index) => (cell.tagName === "I" ? [[Number(row.dataset.o) + index, cell]] : [])));
    }
    return [...within.querySelectorAll(".source .row i[data-r]")].map((cell) => [parseInt(cell.dataset.r, 10) / 8, cell]);
  };
  const PICTURED = { CR: "\r", LF: "\n", TAB: "\t", NUL: "\0" };
  /** What a part holds, a character a byte. */
  const held = (within) => {
    const hex = within.querySelector(".annotated.hex") !== null;
    return atoms(within).map(([offset, cell]) => {
      if (hex) return [offset, String.fromCharCode(parseInt(cell.textContent, 16)), cell];
      const text = [...cell.childNodes].map((node) => (node.nodeType === 3 ? node.data : (PICTURED[node.textContent] ?? String.fromCharCode(parseInt(node.textContent, 16))))).join("");
      return [offset, text, cell];
    });
  };
  const focusOn = (offset) => {
    const found = atoms(place).filter(([at]) => at <= offset).at(-1);
    const target = found?.[1];
    if (!target) return;
    target.focus();
    target.scrollIntoView({ block: "center" });
  };

  seekers.querySelector("#goto").addEventListener("submit", async (event) => {
    event.preventDefault();
    const asked = seekers.querySelector("#offset").value.trim().toLowerCase();
    const record = /^r\s*([0-9]+)$/.exec(asked);
    const number = record ? Number(record[1]) - 1 : /^(0x[0-9a-f]+|[0-9]+)$/.test(asked) ? Number(asked) : NaN;
    const index = parts.findIndex((part) => (record ? part.first !== null && part.first <= number && number <= part.last : part.start <= number && number < part.stop));
    note.textContent = index < 0 ? (Number.isNaN(number) ? "a byte is a number, or 0x and hexadecimal digits" : "not in this page") : "";
    if (index < 0) return;
    await show(index);
    const head = record && [...place.querySelectorAll(".record")].find(({ textContent }) => textContent.endsWith(`[${number}]`));
    const start = head ? parseInt(head.parentElement.querySelector("[data-r]")?.dataset.r ?? "", 10) / 8 : number;
    focusOn(Number.isFinite(start) ? Math.floor(start) : parts[index].start);
  });

  let last = -1;
  let sought = "";
  seekers.querySelector("#find").addEventListener("submit", async (event) => {
    event.preventDefault();
    const asked = seekers.querySelector("#wanted").value;
    if (!asked) return;
    if (asked !== sought) [sought, last] = [asked, -1];
    const bytes = /^\s*(?:[0-9a-f]{2}\s+)*[0-9a-f]{2}\s*$/i.test(asked) && / |^..$/.test(asked.trim());
    const wanted = bytes ? asked.trim().split(/\s+/).map((one) => String.fromCharCode(parseInt(one, 16))).join("") : asked;
    for (let turn = 0; turn <= parts.length; turn++) {
      const index = (now + turn) % parts.length;
      const page = new DOMParser().parseFromString(await unpack(document.getElementById(`packed-${index}`).textContent), "text/html");
      const pieces = held(page);
      const text = pieces.map(([, piece]) => piece).join("");
      const from = turn === 0 ? pieces.filter(([offset]) => offset <= last).reduce((sum, [, piece]) => sum + piece.length, 0) : 0;
      const at = text.indexOf(wanted, last < 0 ? 0 : from);
      if (at < 0) continue;
      let passed = 0;
      const hit = pieces.find(([, piece]) => (passed += piece.length) > at);
      last = hit[0] + Math.max(0, at - (passed - hit[1].length));
      note.textContent = `byte ${last} (0x${last.toString(16).padStart(4, "0")})`;
      await show(index);
      focusOn(last);
      return;
    }
    note.textContent = "not found";
    last = -1;
  });

  for (const link of document.querySelectorAll("[data-part]")) {
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      await show(Number(link.dataset.part));
      place.scrollIntoView();
    });
  }
})();
