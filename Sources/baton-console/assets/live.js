// One stream of changes for all tabs of a browser, because a browser opens only six connections to a server. The tab that holds a lock has
// the stream and forwards its messages. When that tab is closed, another one gets the lock. When it is silent, perhaps because the browser
// suspended it, another one steals the lock.

/** Follows changes, and reports them to the refresher. */
export function follow(root, revision, refresher) {
  // Consoles below different paths of one host have separate streams.
  const channelName = `baton-live ${new URL(root, location.href).pathname}`;
  const hear = (message) => {
    // Every message from the server shows that it works, and that the daemon works unless the state is away.
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
  // A page from the browser's memory is out of date.
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  window.addEventListener("pagehide", () => stream?.close());
  if (!navigator.locks || !window.BroadcastChannel) {
    const alone = () => { stream = new Stream(root, heard, tell, () => setTimeout(alone, againPause)); };
    alone();
    return;
  }
  tabs = new BroadcastChannel(channelName);
  // The leading tab forwards the beat of the server, which shows that changes arrive.
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
    // The leading tab may only have slept, like this one. In that case it replies.
    if (isAsked) lead({ steal: true });
    else tabs.postMessage({ kind: "hello", from: me });
    isAsked = !isAsked;
  }, 5000);
  tabs.onmessage = (event) => {
    // A new tab requests the state, and loads its page again, which may have changed since.
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
    // This tab has only one request at a time.
    queued?.abort();
    const mine = queued = new AbortController();
    navigator.locks.request(channelName, options.steal ? options : { signal: mine.signal }, () => new Promise((release) => {
      if (queued === mine) queued = null;
      heardAt = Date.now();
      // It continues after the last message, so that nothing is lost when the leading tab is closed.
      stream = new Stream(root, heard, tell, () => {
        // The server ended the stream, perhaps because this session is over. Another tab may have a newer session.
        stream = null;
        heardAt = Date.now();
        release();
        setTimeout(lead, againPause);
      });
    })).catch(() => {
      if (mine.signal.aborted) return;
      // Another tab stole the lock, because this tab was silent.
      stream?.close();
      stream = null;
      heardAt = Date.now();
      refresher.lookAgain();
      setTimeout(lead, againPause);
    });
  };
  lead();
}

/** How long to wait after the server ended a stream, in milliseconds. */
const againPause = 5000;
/** How long a connection may be silent, even without the server's beat, before it counts as dead, in milliseconds. */
const silenceMax = 40000;

/** The server's stream. The browser reconnects automatically, and sends the last revision that it received. */
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
    // A connection through a stalled tunnel, or on a machine that slept, looks idle.
    const watch = setInterval(() => { if (Date.now() - heardAt > silenceMax) end(); }, 5000);
    const on = (name, act) => source.addEventListener(name, (event) => { heardAt = Date.now(); act(event); });
    on("beat", () => tell({ kind: "beat", state: this.state }));
    // Without a first revision, earlier changes may have been missed.
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
