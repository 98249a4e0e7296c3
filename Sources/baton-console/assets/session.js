// Whoever is about to be signed out is told in time, and can stay.

/** How long before the end people are told, in milliseconds. */
const warnBefore = 300000;
/** How often the time that is left is looked at, in milliseconds. */
const lookPause = 20000;
/** After how long of typing the session counts as used again, in milliseconds. */
const usePause = 300000;

/** Keeps a session of someone who types, and says when it is about to end.
 * @param ends in how many seconds it ends, if no one uses it. */
export function keepSession(root, ends, refresher) {
  const [line, words, stay] = ["ending", "ending-words", "stay"].map((id) => document.getElementById(id));
  let endsAt = Date.now() + ends * 1000;
  let usedAt = Date.now();
  const ask = async (isUse) => {
    const answer = await fetch(`${root}sessions`, {
      method: "HEAD", headers: isUse ? {} : { "Baton-Refresh": "1" }, credentials: "same-origin", cache: "no-store",
    });
    const left = Number(answer.headers.get("Baton-Session-Ends"));
    if (answer.ok && left > 0) endsAt = Date.now() + left * 1000;
  };
  const show = () => {
    const left = endsAt - Date.now();
    const wasHidden = line.hidden;
    line.hidden = left > warnBefore || left <= 0;
    if (line.hidden) return;
    const minutes = Math.max(1, Math.round(left / 60000));
    words.textContent = `You will be signed out in ${minutes} min.`;
    if (wasHidden) refresher.announce(words.textContent);
  };
  const use = async () => {
    usedAt = Date.now();
    await ask(true).catch(() => {});
    show();
  };
  document.addEventListener("input", () => { if (Date.now() - usedAt > usePause) use(); });
  stay.addEventListener("click", async () => {
    await use();
    if (line.hidden) return document.getElementById("main").focus({ preventScroll: true });
    words.textContent = "A session lasts at most eight hours. Sign in in another tab. Your input is kept on this page.";
    stay.hidden = true;
  });
  setInterval(async () => {
    // Another tab may have used it since.
    if (endsAt - Date.now() < warnBefore) await ask(false).catch(() => {});
    // Whoever has signed in again has a new one.
    if (endsAt - Date.now() > warnBefore) stay.hidden = false;
    if (!stay.hidden) show();
  }, lookPause);
  show();
}
