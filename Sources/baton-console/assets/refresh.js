// Puts what has changed into the page, and moves nothing that somebody looks at.

const policy = window.trustedTypes?.createPolicy("baton", { createHTML: (text) => text });

/** The shortest time between two looks, in milliseconds: for what is on the page, and for what may only have come to a list. */
const nearPause = 400;
const farPause = 4000;
/** The longest time between two looks, however slow the server is. */
const longestPause = 10000;
/** How long to wait for counts that were not made again yet, in milliseconds. */
const againPause = 2200;
/** How long to wait after a look that failed. */
const troublePause = 5000;
/** How long a look may take, in milliseconds. */
const lookMax = 30000;
/** How long to wait before a page that could not be made is asked for again, in milliseconds. */
const outagePause = 2000;
/** How often changes are read out, in milliseconds. */
const announcePause = 5000;

export class Refresher {
  constructor(onInsert, times) {
    this.onInsert = onInsert;
    this.times = times;
    this.isPaused = false;
    this.connection = "connecting";
    this.asOf = times.clock();
    this.due = null;
    this.isLooking = false;
    this.hasFailed = false;
    this.lastLook = 0;
    this.cost = 0;
    this.announced = 0;
    if ("again" in document.body.dataset) this.plan(againPause);
    this.pauseButton = document.getElementById("pause");
    this.pauseButton.hidden = false;
    this.pauseButton.addEventListener("click", () => this.pause(!this.isPaused));
    // What was left as it is because somebody used it catches up afterwards.
    const catchUp = () => { if (this.isStale && !document.hidden) this.plan(nearPause); };
    for (const name of ["visibilitychange", "focusout", "selectionchange"]) document.addEventListener(name, catchUp);
  }

  // What the stream says.

  changed(objects) {
    let isNear = false, isFar = false;
    for (const element of document.querySelectorAll("[data-follows]")) {
      for (const name of element.dataset.follows.split(" ")) {
        for (const object of objects) {
          if (name === object || object === "messages:*" && name.startsWith("messages:")) isNear = true;
          else if (name.endsWith(":*") && object.startsWith(name.slice(0, -1))) {
            if (!("rows" in element.dataset) || element.querySelector(`[data-object="${CSS.escape(object)}"]`)) isNear = true;
            else isFar = true;
          }
        }
      }
    }
    if (isNear) this.plan(nearPause);
    else if (isFar) this.plan(farPause);
  }

  lookAgain() { this.plan(0); }

  state(state) {
    // Whoever is signed out stays so until changes arrive again.
    if (this.connection === "ended" && state !== "live") return;
    const wasLive = this.connection === "live";
    this.connection = state;
    if (wasLive && state !== "live") {
      this.asOf = this.times.clock();
      // Perhaps the session is over: the answer says so.
      if (state === "lost") this.plan(nearPause);
    }
    if (state === "live") {
      if (document.querySelector("[data-outage]")) setTimeout(() => location.reload(), outagePause);
      if (this.isStale) this.lookAgain();
    }
    this.show();
  }

  // When to look.

  plan(pause) {
    this.isStale = true;
    if (this.isPaused || document.hidden) return;
    // A server that needs long is asked less often.
    if (this.isLooking) return;
    const at = this.lastLook + Math.min(longestPause, Math.max(pause, this.cost * 4));
    if (this.due && this.due.at <= at) return;
    if (this.due) clearTimeout(this.due.timer);
    this.due = { at, timer: setTimeout(() => this.look(), Math.max(0, at - Date.now())) };
  }

  async look() {
    this.due = null;
    this.isLooking = true;
    this.isStale = false;
    this.isInUse = false;
    let pause = nearPause;
    const begin = Date.now();
    try {
      const answer = await fetch(location.href, {
        headers: { "Baton-Refresh": "1" }, credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(lookMax),
      });
      if (answer.ok && answer.headers.get("Content-Type")?.startsWith("text/html")) {
        const text = await answer.text();
        this.cost = Date.now() - begin;
        if (this.isPaused) this.isStale = true;
        else this.put(new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, "text/html"));
        if (!this.isPaused) this.asOf = this.times.clock();
        if (this.connection === "ended") this.connection = "lost";
        this.hasFailed = false;
      } else if (answer.status === 401) {
        // What changed is shown after signing in, perhaps in another tab.
        this.connection = "ended";
        this.isStale = true;
      } else {
        this.failed();
        // What was refused once is refused again.
        this.isStale = answer.status >= 500 || [408, 429].includes(answer.status);
        pause = troublePause;
      }
    } catch {
      this.failed();
      this.isStale = true;
      pause = troublePause;
    }
    this.isLooking = false;
    this.lastLook = Date.now();
    this.show();
    // What changed meanwhile, or could not be had. What somebody uses waits until they are done.
    if (this.connection === "ended") return;
    if (this.isStale && !this.isInUse) this.plan(pause);
    else if (this.isAgainDue) this.plan(againPause);
    this.isAgainDue = false;
  }

  failed() {
    if (!this.hasFailed && this.connection === "live" && !this.isPaused) this.asOf = this.times.clock();
    this.hasFailed = true;
  }

  // What to put where.

  put(fresh) {
    // Counts of everything are made every two seconds at most.
    if ("again" in fresh.body.dataset) this.isAgainDue = true;
    // Both as of now, and with the same buttons, so that only what has changed differs.
    this.times.write(document);
    this.inserted(fresh);
    for (const old of document.querySelectorAll("[data-follows][id]")) {
      const now = fresh.getElementById(old.id);
      if (!now) continue;
      if ("rows" in old.dataset) this.putRows(old, now);
      else if (old.innerHTML !== now.innerHTML) {
        if (this.leaves(old)) continue;
        const words = old.querySelector("[data-announce]")?.textContent;
        old.replaceChildren(...document.importNode(now, true).childNodes);
        const said = old.querySelector("[data-announce]")?.textContent;
        if (said && said !== words) this.announce(said);
      }
    }
  }

  putRows(old, now) {
    const known = new Map([...old.tBodies[0].rows].filter((row) => row.id).map((row) => [row.id, row]));
    let news = 0, changes = 0;
    for (const row of now.tBodies[0].rows) {
      const present = known.get(row.id);
      known.delete(row.id);
      if (!present) { news += 1; continue; }
      if (present.innerHTML === row.innerHTML && !present.classList.contains("gone")) continue;
      if (this.leaves(present)) continue;
      const copy = document.importNode(row, true);
      copy.classList.add("fresh");
      present.replaceWith(copy);
      changes += 1;
    }
    // Where the list goes on, its last rows are on the next page now.
    const last = now.ownerDocument.querySelector('.pager [rel="next"]')
      ? Math.max(-1, ...[...old.tBodies[0].rows].map((row, index) => (row.id && !known.has(row.id) ? index : -1)))
      : Infinity;
    [...old.tBodies[0].rows].forEach((row, index) => { if (known.has(row.id) && index < last) row.classList.add("gone"); });
    this.offer(old, news);
    if (changes) this.announce(changes === 1 ? "1 row changed" : `${changes} rows changed`);
  }

  /** Says how many rows there are that the list does not show yet. */
  offer(table, count) {
    let line = table.previousElementSibling?.classList.contains("news") ? table.previousElementSibling : null;
    if (!count) { line?.remove(); return; }
    if (!line) {
      line = document.createElement("p");
      line.className = "news";
      const button = document.createElement("button");
      button.type = "button";
      button.addEventListener("click", () => location.reload());
      line.append(button);
      table.before(line);
    }
    const text = `${count} new: show`;
    if (line.firstChild.textContent !== text) {
      line.firstChild.textContent = text;
      this.announce(`${count} new`);
    }
  }

  /** Whether an element stays as it is for now, because somebody uses it. */
  leaves(element) {
    if (!isInUse(element)) return false;
    this.isInUse = true;
    this.isStale = true;
    return true;
  }

  inserted(element) {
    this.onInsert(element);
    this.times.write(element);
  }

  // What people are told.

  announce(text) {
    this.toSay = text;
    if (this.isSaying) return;
    this.isSaying = true;
    setTimeout(() => {
      this.isSaying = false;
      this.announced = Date.now();
      document.getElementById("announcer").textContent = this.toSay;
    }, Math.max(0, this.announced + announcePause - Date.now()));
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    this.pauseButton.textContent = isPaused ? "Resume" : "Pause";
    if (isPaused) {
      this.asOf = this.times.clock();
      if (this.due) clearTimeout(this.due.timer);
      if (this.due) this.isStale = true;
      this.due = null;
    } else if (this.isStale) this.lookAgain();
    this.show();
  }

  show() {
    const words = {
      live: ["live", "Live"],
      connecting: ["still", `As of ${this.asOf}`],
      lost: ["lost", `Connection lost; as of ${this.asOf}`],
      away: ["away", `The daemon does not answer; as of ${this.asOf}`],
      ended: ["lost", `Signed out; as of ${this.asOf}`],
    }[this.connection] ?? ["still", `As of ${this.asOf}`];
    const trouble = this.hasFailed && this.connection === "live" ? ["lost", `Cannot be refreshed; as of ${this.asOf}`] : words;
    const [state, text] = this.isPaused ? ["paused", `Paused; as of ${this.asOf}`] : trouble;
    document.getElementById("sign-in").hidden = this.connection !== "ended";
    const mark = document.getElementById("live");
    mark.dataset.state = state;
    const place = document.getElementById("live-words");
    if (place.textContent !== text) {
      place.textContent = text;
      if (!this.isPaused && state !== "still") this.announce(text);
    }
    document.body.classList.toggle("old", state !== "live" && state !== "still");
  }
}

/** Whether somebody types, points or selects within an element, which then stays as it is. */
function isInUse(element) {
  if (element.contains(document.activeElement) && document.activeElement !== document.body) return true;
  if (element.querySelector("details[open]")) return true;
  const selection = document.getSelection();
  return selection && !selection.isCollapsed && selection.containsNode(element, true);
}
