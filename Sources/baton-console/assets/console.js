// What pages do beyond showing what the server made: they follow changes, say how old times are, and copy texts. All of them work without it.
import { follow } from "./live.js";
import { Refresher } from "./refresh.js";
import { keepTimes } from "./times.js";

const body = document.body;

/** Shows buttons that do nothing without scripts, and makes them work. */
function offerCopies(within) {
  for (const button of within.querySelectorAll("button[data-copy]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const word = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Select it by hand";
  }
  setTimeout(() => { button.textContent = word; }, 2000);
});

offerCopies(document);
const times = keepTimes(body.dataset.now);
if ("live" in body.dataset) {
  const refresher = new Refresher(offerCopies, times);
  follow(body.dataset.root, body.dataset.revision, refresher);
}
