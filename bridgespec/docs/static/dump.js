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
  for (const link of document.querySelectorAll("[data-part]")) {
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      await show(Number(link.dataset.part));
      place.scrollIntoView();
    });
  }
})();
