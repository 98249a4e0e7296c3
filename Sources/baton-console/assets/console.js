// Pages follow changes, show relative times, copy texts, and shrink images. All pages work without scripts, except for choosing an image.
import { offerImages } from "./image.js";
import { follow } from "./live.js";
import { Refresher } from "./refresh.js";
import { keepSession } from "./session.js";
import { keepTimes } from "./times.js";

const body = document.body;

/** Shows copy buttons, which are hidden without scripts. */
function offerCopies(within) {
  for (const button of within.querySelectorAll("button[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const word = button.dataset.word ??= button.textContent;
  clearTimeout(button.dataset.timer);
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copying failed";
  }
  document.getElementById("announcer").textContent = button.textContent;
  button.dataset.timer = setTimeout(() => { button.textContent = word; }, 2000);
});

// A second click before the first response arrives does nothing.
const doubleMax = 3000;
document.addEventListener("submit", (event) => {
  const sent = Number(event.target.dataset.sent ?? 0);
  if (Date.now() - sent < doubleMax) event.preventDefault();
  else event.target.dataset.sent = Date.now();
});

offerCopies(document);
offerImages(document);
const times = keepTimes(body.dataset.now);
if ("live" in body.dataset) {
  const refresher = new Refresher(offerCopies, times);
  follow(body.dataset.root, body.dataset.revision, refresher);
  if ("ends" in body.dataset) keepSession(body.dataset.root, Number(body.dataset.ends), refresher);
}
