// Warns users before their session ends, and lets them extend it.

/** How long before the end to warn, in milliseconds. */
const warnBefore = 300000;
/** How often to check the remaining time, in milliseconds. */
const lookPause = 20000;
/** How often typing extends the session, in milliseconds. */
const usePause = 300000;

/** Extends the session while the user types, and warns before it ends.
 * @param ends the number of seconds until an unused session ends. */
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
    // The user may have a new session after signing in again.
    if (endsAt - Date.now() > warnBefore) stay.hidden = false;
    if (!stay.hidden) show();
  }, lookPause);
  show();
}
