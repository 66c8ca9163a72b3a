// What the pages do besides being read: parts marked data-live are brought in again
// every two seconds, forms marked data-ask ask before they are sent, and those marked
// data-stay are sent without leaving the page.
"use strict";

const parts = [];

for (const part of document.querySelectorAll("[data-live]")) {
  let failed = 0, timer, busy = false, last;
  const show = (html) => {
    if (html === last) return;
    const open = [...part.querySelectorAll("details[open]")].map((d) => d.id);
    part.innerHTML = last = html;
    for (const d of part.querySelectorAll("details")) d.open = open.includes(d.id);
  };
  const again = async () => {
    busy = true;
    if (!document.hidden && !part.contains(document.activeElement)) {
      try {
        const answer = await fetch(part.dataset.live, { headers: { "X-Part": "1" }, signal: AbortSignal.timeout(10000) });
        if (answer.status === 401) { location.reload(); return; }
        if (answer.ok) {
          show(await answer.text());
          failed = 0;
        } else {
          failed++;
        }
      } catch {
        failed++;
      }
      part.classList.toggle("stale", failed > 1);
    }
    busy = false;
    timer = setTimeout(again, failed ? 5000 : 2000);
  };
  timer = setTimeout(again, 2000);
  parts.push({ show, element: part, soon() { if (!busy) { clearTimeout(timer); again(); } } });
}

// stay sends a form and shows what came of it where it stands.
async function stay(form, button) {
  const field = form.querySelector("[autofocus]");
  const typed = field && field.value;
  const answer = await fetch(form.getAttribute("action"), { method: "POST", body: new URLSearchParams(new FormData(form, button)) });
  if (answer.status === 401) { location.reload(); return; }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.querySelectorAll("main > .said").forEach((e) => e.remove());
  const said = page.querySelector("main > .said");
  if (said) document.querySelector("main").prepend(said);
  for (const part of parts) {
    const fresh = page.getElementById(part.element.id);
    if (fresh) part.show(fresh.innerHTML);
    for (const wait of [200, 600, 1200]) setTimeout(part.soon, wait);
  }
  if (field) {
    if (answer.ok && !(said && said.classList.contains("bad")) && field.value === typed) field.value = "";
    field.focus();
  }
}

document.addEventListener("submit", (e) => {
  const form = e.target, ask = form.dataset.ask;
  if (ask && !confirm(ask)) {
    e.preventDefault();
  } else if ("stay" in form.dataset) {
    e.preventDefault();
    stay(form, e.submitter).catch(() => form.submit());
  }
});
