// What the pages do besides being read: parts marked data-live are brought in again
// every two seconds, and forms marked data-ask ask before they are sent.
"use strict";

for (const part of document.querySelectorAll("[data-live]")) {
  let failed = 0;
  const again = async () => {
    if (!document.hidden && !part.contains(document.activeElement)) {
      try {
        const answer = await fetch(part.dataset.live, { headers: { "X-Part": "1" }, signal: AbortSignal.timeout(10000) });
        if (answer.status === 401) { location.reload(); return; }
        if (answer.ok) {
          part.innerHTML = await answer.text();
          failed = 0;
        } else {
          failed++;
        }
      } catch {
        failed++;
      }
      part.classList.toggle("stale", failed > 1);
    }
    setTimeout(again, failed ? 5000 : 2000);
  };
  setTimeout(again, 2000);
}

document.addEventListener("submit", (e) => {
  const ask = e.target.dataset.ask;
  if (ask && !confirm(ask)) e.preventDefault();
});
