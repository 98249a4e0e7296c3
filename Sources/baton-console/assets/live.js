// One stream of changes for all tabs of a browser: a browser opens six connections to a server, and streams must not use them up. The tab
// that holds a lock has the stream and passes on what it hears; when it is closed, the lock goes to another, and when it says nothing, perhaps
// because the browser has stopped it, another takes the lock.

/** Follows changes, and tells the refresher of them. */
export function follow(root, revision, refresher) {
  // Consoles below different paths of one host have a stream each.
  const channelName = `baton-live ${new URL(root, location.href).pathname}`;
  const hear = (message) => {
    // Whatever comes from the server is a sign of life, and of the daemon, too, unless that is away.
    if (message.state ? message.state === "live" : message.kind !== "hello") refresher.hears();
    switch (message.kind) {
      case "changed": refresher.changed(message.objects); break;
      case "resync": refresher.lookAgain(); break;
      case "beat": case "state": refresher.state(message.state); break;
    }
  };
  let stream = null;
  let heard = revision;
  let tabs = null;
  const tell = (message) => {
    if (message.revision) heard = message.revision;
    hear(message);
    tabs?.postMessage(message);
  };
  // A page that comes back from the browser's memory shows what was.
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  window.addEventListener("pagehide", () => stream?.close());
  if (!navigator.locks || !window.BroadcastChannel) {
    const alone = () => { stream = new Stream(root, heard, tell, () => setTimeout(alone, againPause)); };
    alone();
    return;
  }
  tabs = new BroadcastChannel(channelName);
  // The leading tab passes on the beat of the server; without it, no one knows whether changes arrive.
  let heardAt = Date.now();
  const me = `${Date.now()}-${Math.random()}`;
  let queued = null;
  let isAsked = false;
  setInterval(() => {
    if (stream || Date.now() - heardAt <= silenceMax) {
      isAsked = false;
      return;
    }
    refresher.state("lost");
    if (document.hidden) return;
    // It may only have slept, as this one has, and then it answers.
    if (isAsked) lead({ steal: true });
    else tabs.postMessage({ kind: "hello", from: me });
    isAsked = !isAsked;
  }, 5000);
  tabs.onmessage = (event) => {
    // A tab that has just been opened asks how things are, and looks once more: something may have changed since its page was made.
    if (event.data.kind === "hello") {
      if (stream) tabs.postMessage({ kind: "state", state: stream.state, to: event.data.from });
      return;
    }
    if (event.data.to && event.data.to !== me) return;
    heardAt = Date.now();
    if (event.data.to) refresher.lookAgain();
    if (event.data.revision) heard = event.data.revision;
    hear(event.data);
  };
  tabs.postMessage({ kind: "hello", from: me });
  const lead = (options = {}) => {
    // There is one request of this tab at a time.
    queued?.abort();
    const mine = queued = new AbortController();
    navigator.locks.request(channelName, options.steal ? options : { signal: mine.signal }, () => new Promise((release) => {
      if (queued === mine) queued = null;
      heardAt = Date.now();
      // It goes on behind what was heard last, so that nothing is lost when the tab before was closed.
      stream = new Stream(root, heard, tell, () => {
        // The server ended it for good, perhaps because this session is over. Another tab may have a newer one.
        stream = null;
        heardAt = Date.now();
        release();
        setTimeout(lead, againPause);
      });
    })).catch(() => {
      if (mine.signal.aborted) return;
      // Another tab has taken it, because this one said nothing.
      stream?.close();
      stream = null;
      heardAt = Date.now();
      refresher.lookAgain();
      setTimeout(lead, againPause);
    });
  };
  lead();
}

/** How long to wait after the server has ended a stream, in milliseconds. */
const againPause = 5000;
/** After how long without a word, not even the beat of the server, a connection is taken for dead, in milliseconds. */
const silenceMax = 40000;

/** The stream of the server. The browser connects again by itself, and says what it has heard of. */
class Stream {
  constructor(root, revision, tell, ended) {
    this.tell = tell;
    this.state = "connecting";
    const query = revision ? `?since=${encodeURIComponent(revision)}` : "";
    const source = new EventSource(`${root}events${query}`);
    this.close = () => {
      clearInterval(watch);
      source.close();
    };
    let heardAt = Date.now();
    const end = () => {
      clearInterval(watch);
      source.close();
      this.become("lost");
      ended();
    };
    // A connection through a tunnel that hangs, or of a machine that has slept, looks as if nothing happened.
    const watch = setInterval(() => { if (Date.now() - heardAt > silenceMax) end(); }, 5000);
    const on = (name, act) => source.addEventListener(name, (event) => { heardAt = Date.now(); act(event); });
    on("beat", () => tell({ kind: "beat", state: this.state }));
    // Without a revision to begin with, something may have happened before.
    on("open", () => { if (!revision) tell({ kind: "resync" }); });
    on("changed", (event) => tell({ kind: "changed", objects: event.data.split(" "), revision: event.lastEventId }));
    on("resync", (event) => tell({ kind: "resync", revision: event.lastEventId }));
    on("daemon", (event) => this.become(event.data === "here" ? "live" : "away"));
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) end();
      else this.become("lost");
    };
  }

  become(state) {
    if (this.state === state) return;
    this.state = state;
    this.tell({ kind: "state", state });
  }
}
