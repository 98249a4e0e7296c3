// Updates the page with changes, without moving the visible part.

const policy = window.trustedTypes?.createPolicy("baton", { createHTML: (text) => text });

/** The shortest time between two looks, in milliseconds: for objects on the page, and for possible new rows in a list. */
const nearPause = 400;
const farPause = 4000;
/** The longest time between two looks, however slow the server is. */
const longestPause = 10000;
/** How long to wait for counts that are out of date, in milliseconds. */
const againPause = 2200;
/** How long to wait after a failed look, in milliseconds. */
const troublePause = 5000;
/** The time limit of a look, in milliseconds. */
const lookMax = 30000;
/** How long to wait before a failed page is requested again, in milliseconds. */
const outagePause = 2000;
/** The shortest time between two announcements to screen readers, in milliseconds. */
const announcePause = 5000;
/** How often the age of the page is updated while nothing arrives, in milliseconds. */
const agePause = 10000;

export class Refresher {
  constructor(onInsert, times) {
    this.onInsert = onInsert;
    this.times = times;
    this.isPaused = false;
    this.connection = "connecting";
    // The last time at which the page was known to be current.
    this.trueAt = Date.now();
    // A page that follows nothing, such as the response to a form, which has no address, only checks whether the session continues.
    this.isStill = !document.querySelector("[data-follows]");
    this.due = null;
    this.isLooking = false;
    this.hasFailed = false;
    this.lastLook = 0;
    this.cost = 0;
    this.announced = 0;
    if ("again" in document.body.dataset) this.plan(againPause);
    // This tab keeps the typed text.
    document.getElementById("sign-in").target = "_blank";
    this.pauseButton = document.getElementById("pause");
    this.pauseButton.hidden = false;
    this.pauseButton.addEventListener("click", () => this.pause(!this.isPaused));
    // Elements that were skipped because someone used them are updated afterwards.
    const catchUp = () => { if (this.isStale && !document.hidden) this.plan(nearPause); };
    for (const name of ["visibilitychange", "focusout", "selectionchange", "pointerup", "keyup"]) document.addEventListener(name, catchUp);
    setInterval(() => { if (document.body.classList.contains("old")) this.show(); }, agePause);
  }

  // Messages of the stream.

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

  /** Records that changes arrive. */
  hears() {
    if (!this.isPaused && !this.hasFailed && !this.isStale && !this.isLooking) this.trueAt = Date.now();
  }

  state(state) {
    // The page counts as signed out until changes arrive again.
    if (this.connection === "ended" && state !== "live") return;
    const wasLive = this.connection === "live";
    this.connection = state;
    // The session may be over, which the response shows.
    if (wasLive && state === "lost") this.plan(nearPause);
    if (state === "live") {
      if (document.querySelector("[data-outage]")) setTimeout(() => location.reload(), outagePause);
      if (this.isStale) this.lookAgain();
    }
    this.show();
  }

  // Schedule of looks.

  plan(pause) {
    this.isStale = true;
    if (this.isPaused || document.hidden) return;
    // A slow server gets fewer requests.
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
      const [address, method] = this.isStill ? [`${document.body.dataset.root}sessions`, "HEAD"] : [location.href, "GET"];
      const answer = await fetch(address, {
        method, headers: { "Baton-Refresh": "1" }, credentials: "same-origin", cache: "no-store",
        signal: AbortSignal.timeout(lookMax),
      });
      if (answer.ok && this.isStill) {
        this.sound(begin);
      } else if (answer.ok && answer.headers.get("Content-Type")?.startsWith("text/html")) {
        const text = await answer.text();
        this.cost = Date.now() - begin;
        if (this.isPaused) this.isStale = true;
        else this.put(new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, "text/html"));
        this.sound(begin);
      } else if (answer.status === 401) {
        // Changes are shown after signing in, perhaps in another tab.
        this.connection = "ended";
        this.isStale = true;
      } else {
        this.hasFailed = true;
        // A refused request would be refused again.
        this.isStale = answer.status >= 500 || [408, 429].includes(answer.status);
        pause = troublePause;
      }
    } catch {
      this.hasFailed = true;
      this.isStale = true;
      pause = troublePause;
    }
    this.isLooking = false;
    this.lastLook = Date.now();
    this.show();
    // Something changed during the look, or the look failed. Elements in use wait until the user is done.
    if (this.connection === "ended") return;
    if (this.isStale && !this.isInUse) this.plan(pause);
    else if (this.isAgainDue) this.plan(againPause);
    this.isAgainDue = false;
  }

  /** Records a successful response of the server.
   * @param at the time of the request. */
  sound(at) {
    if (!this.isPaused && !this.isInUse) this.trueAt = at;
    if (this.connection === "ended") this.connection = "lost";
    this.hasFailed = false;
  }

  // Updating the page.

  put(fresh) {
    // The console refreshes counts every two seconds at most.
    if ("again" in fresh.body.dataset) this.isAgainDue = true;
    // Both pages get the current times and the same buttons, so that they differ only in real changes.
    this.times.take(fresh.body.dataset.now);
    this.times.write(document);
    this.inserted(fresh);
    document.title = fresh.title;
    const restore = keepPlace();
    for (const old of document.querySelectorAll("[data-follows][id]")) {
      const now = fresh.getElementById(old.id);
      if (now && "rows" in old.dataset) this.putRows(old, now);
      else if (old.innerHTML !== (now?.innerHTML ?? "")) {
        if (this.leaves(old)) continue;
        old.classList.remove("held");
        const words = old.querySelector("[data-announce]")?.textContent;
        replace(old, () => old.replaceChildren(...(now ? document.importNode(now, true).childNodes : [])));
        const said = old.querySelector("[data-announce]")?.textContent;
        if (said && said !== words) this.announce(said);
      } else old.classList.remove("held");
    }
    restore();
  }

  putRows(old, now) {
    const known = new Map([...old.tBodies[0].rows].filter((row) => row.id).map((row) => [row.id, row]));
    if (this.isAllWanted) {
      this.isAllWanted = false;
      const rows = document.importNode(now.tBodies[0], true);
      old.tBodies[0].replaceWith(rows);
      this.offer(old, 0);
      // The next page begins after the new end of this one.
      const [pager, next] = [document, now.ownerDocument].map((page) => page.querySelector("main .pager"));
      if (pager) pager.replaceChildren(...(next ? document.importNode(next, true).childNodes : []));
      else if (next) old.after(document.importNode(next, true));
      const first = [...rows.rows].find((row) => !known.has(row.id));
      for (const row of rows.rows) if (!known.has(row.id)) row.classList.add("fresh");
      (first?.querySelector("a") ?? document.getElementById("main")).focus({ preventScroll: true });
      return;
    }
    let news = 0, changes = 0;
    for (const row of now.tBodies[0].rows) {
      const present = known.get(row.id);
      known.delete(row.id);
      if (!present) { news += 1; continue; }
      if (present.innerHTML === row.innerHTML && !present.classList.contains("gone")) {
        present.classList.remove("held");
        continue;
      }
      if (this.leaves(present)) continue;
      replace(present, () => {
        const copy = document.importNode(row, true);
        copy.classList.add("fresh");
        present.replaceWith(copy);
        return copy;
      });
      changes += 1;
    }
    // If the list continues, its last rows have moved to the next page.
    const last = now.ownerDocument.querySelector('.pager [rel="next"]')
      ? Math.max(-1, ...[...old.tBodies[0].rows].map((row, index) => (row.id && !known.has(row.id) ? index : -1)))
      : Infinity;
    [...old.tBodies[0].rows].forEach((row, index) => { if (known.has(row.id) && index < last) row.classList.add("gone"); });
    this.offer(old, news);
    if (changes) this.announce(changes === 1 ? "1 row changed" : `${changes} rows changed`);
  }

  /** Offers to show new rows. */
  offer(table, count) {
    let line = table.previousElementSibling?.classList.contains("news") ? table.previousElementSibling : null;
    if (!count) { line?.remove(); return; }
    if (!line) {
      line = document.createElement("p");
      line.className = "news";
      const button = document.createElement("button");
      button.type = "button";
      button.addEventListener("click", () => {
        this.isAllWanted = true;
        if (this.isPaused) this.pause(false);
        this.lookAgain();
      });
      line.append(button);
      table.before(line);
    }
    const rows = count === 1 ? "1 new row" : `${count} new rows`;
    const text = `Show ${rows}`;
    if (line.firstChild.textContent !== text) {
      line.firstChild.textContent = text;
      this.announce(rows);
    }
  }

  /** Whether an element is skipped for now, because someone uses it. */
  leaves(element) {
    if (!isInUse(element)) return false;
    element.classList.add("held");
    this.isInUse = true;
    this.isStale = true;
    return true;
  }

  inserted(element) {
    this.onInsert(element);
    this.times.write(element);
  }

  // Messages to people.

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
      if (this.connection === "live" && !this.hasFailed && !this.isStale) this.trueAt = Date.now();
      if (this.due) clearTimeout(this.due.timer);
      if (this.due) this.isStale = true;
      this.due = null;
    } else if (this.isStale) this.lookAgain();
    this.show();
  }

  show() {
    const [state, word] = this.isPaused
      ? ["paused", "Paused"]
      : this.hasFailed && this.connection === "live"
        ? ["lost", "Refresh failed"]
        : { live: ["live", "Live"], lost: ["lost", "Connection lost"], away: ["away", "The daemon does not answer"],
            ended: ["lost", "Signed out"] }[this.connection] ?? ["still", ""];
    const asOf = this.times.clock(this.trueAt);
    let text = word ? `${word}. As of ${asOf}, ${this.times.age(this.trueAt)}` : `As of ${asOf}`;
    if (state === "live") text = document.querySelector("main .held") ? "Live, except the part that you use" : "Live";
    document.getElementById("sign-in").hidden = this.connection !== "ended";
    const mark = document.getElementById("live");
    mark.dataset.state = state;
    const place = document.getElementById("live-words");
    if (place.textContent !== text) place.textContent = text;
    // Announce recovery only after trouble, and each trouble once.
    if (state === "live" ? this.trouble : ["lost", "away"].includes(state) && state !== this.trouble) this.announce(text);
    if (state === "live") this.trouble = null;
    else if (state === "lost" || state === "away") this.trouble = state;
    document.body.classList.toggle("old", state !== "live" && state !== "still");
  }
}

// The pressed element. A click must end on the element where it began.
let pressed = null;
document.addEventListener("pointerdown", (event) => { pressed = event.target; }, true);
document.addEventListener("keydown", (event) => { if ([" ", "Enter"].includes(event.key)) pressed = event.target; }, true);
for (const name of ["pointerup", "pointercancel", "keyup"]) document.addEventListener(name, () => { pressed = null; }, true);

/** Whether someone presses, types, has typed or selects within an element. Such an element is not updated. */
function isInUse(element) {
  if (pressed && element.contains(pressed)) return true;
  if (element.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) return true;
  const hasChanged = (field) => field.matches("select")
    ? [...field.options].some((option) => option.selected !== option.defaultSelected) && field.selectedIndex > 0
    : field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  if ([...element.querySelectorAll("input:not([type=hidden]), textarea, select")].some(hasChanged)) return true;
  const selection = document.getSelection();
  return selection && !selection.isCollapsed && selection.containsNode(element, true);
}

/** Replaces an element or its content, moves the focus to the corresponding new control, and opens details that were open.
 * @param act replaces it, and returns the new element if there is one. */
function replace(element, act) {
  const controls = (within) => [...within.querySelectorAll("a[href], button, summary")];
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const name = (control) => [
    control.tagName, control.getAttribute("href"), control.dataset.copy, control.form?.getAttribute("action"),
    [...(control.form?.querySelectorAll("input[type=hidden]") ?? [])].filter((field) => field.name !== "seen").map((field) => field.value),
  ].join(" ");
  const wanted = focused && name(focused);
  const place = focused ? controls(element).filter((control) => name(control) === wanted).indexOf(focused) : -1;
  const open = [...element.querySelectorAll("details")].map((details) => details.open);
  const now = act() ?? element;
  [...now.querySelectorAll("details")].forEach((details, index) => { if (open[index]) details.open = true; });
  if (!focused) return;
  const same = controls(now).filter((control) => name(control) === wanted);
  const heir = same[place] ?? same[0] ?? now.querySelector("a[href], button:not([hidden])") ?? document.getElementById("main");
  heir.focus({ preventScroll: true });
}

/** Records the element at the top of the window.
 * @returns a function that scrolls it back to that position. */
function keepPlace() {
  if (window.scrollY <= 0) return () => {};
  const anchors = [...document.querySelectorAll("main [id]")]
    .map((element) => [element.id, element.getBoundingClientRect()])
    .filter(([, box]) => box.height > 0 && box.top >= 0 && box.top < window.innerHeight)
    .map(([id, box]) => [id, box.top]);
  return () => {
    // The first ones may be gone.
    for (const [id, top] of anchors) {
      const element = document.getElementById(id);
      if (!element) continue;
      window.scrollBy(0, element.getBoundingClientRect().top - top);
      return;
    }
  };
}
