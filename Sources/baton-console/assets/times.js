// Updates relative times while a page is open. The server's clock counts, because the browser's may be wrong.

/** Writes relative times repeatedly.
 * @returns functions that write them within an element, set the server's time, and put times of this browser into words. */
export function keepTimes(serverNow) {
  let ahead = Date.parse(serverNow) - Date.now();
  const now = () => Date.now() + ahead;
  const write = (within) => {
    for (const time of within.querySelectorAll("time[datetime]")) {
      const then = Date.parse(time.dateTime);
      const text = relative(then, now(), "next" in time.dataset);
      if (time.textContent !== text) time.textContent = text;
      const local = new Date(then).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
      if (time.title !== local) time.title = local;
    }
  };
  write(document);
  setInterval(() => { if (!document.hidden) write(document); }, 10000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) write(document); });
  /** The server's time at a time of this browser, with the date if it is not today. */
  const clock = (at) => {
    const [then, today] = [new Date(at + ahead), new Date(now())];
    return then.toDateString() === today.toDateString()
      ? then.toLocaleTimeString(undefined, { timeStyle: "long" })
      : then.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
  };
  /** Sets the server's current time. */
  const take = (serverNow) => { ahead = Date.parse(serverNow) - Date.now(); };
  return { write, take, clock, age: (at) => relative(at + ahead, now()) };
}

/** A time in the same words as the server's. */
function relative(then, now, isPlanned) {
  const distance = now - then;
  if (isPlanned ? distance >= 0 && distance < 60000 : distance > -60000 && distance < 10000) return isPlanned ? "now" : "just now";
  const seconds = Math.floor(Math.abs(distance) / 1000);
  let span;
  if (seconds < 60) span = `${seconds} s`;
  else if (seconds < 3600) span = `${Math.floor(seconds / 60)} min`;
  else if (seconds < 48 * 3600) span = `${Math.floor(seconds / 3600)} h`;
  else if (seconds < 60 * 86400) span = `${Math.floor(seconds / 86400)} d`;
  else return new Date(then).toISOString().slice(0, 10);
  return distance > 0 ? `${span} ago` : `in ${span}`;
}
