// One stream of changes for all tabs of a browser: a browser opens six connections to a server, and streams must not use them up. The tab
// that holds a lock has the stream and passes on what it hears; when it is closed, the lock goes to another.

const channelName = "baton-live";

/** Follows changes, and tells the refresher of them. */
export function follow(root, revision, refresher) {
  const listener = {
    hear(message) {
      switch (message.kind) {
        case "changed": refresher.changed(message.objects); break;
        case "resync": refresher.lookAgain(); break;
        case "state": refresher.state(message.state); break;
      }
    },
  };
  if (!navigator.locks || !window.BroadcastChannel) {
    new Stream(root, revision, listener.hear);
    return;
  }
  const tabs = new BroadcastChannel(channelName);
  let stream = null;
  tabs.onmessage = (event) => {
    // A tab that has just been opened asks how things are, and looks once more: something may have changed since its page was made.
    if (event.data.kind === "hello") {
      if (stream) tabs.postMessage({ kind: "state", state: stream.state, to: event.data.from });
      return;
    }
    if (event.data.to && event.data.to !== me) return;
    if (event.data.to) refresher.lookAgain();
    if (event.data.revision) heard = event.data.revision;
    listener.hear(event.data);
  };
  const me = `${Date.now()}-${Math.random()}`;
  let heard = revision;
  tabs.postMessage({ kind: "hello", from: me });
  navigator.locks.request(channelName, () => new Promise(() => {
    // It goes on behind what was heard last, so that nothing is lost when the tab before was closed.
    stream = new Stream(root, heard, (message) => {
      listener.hear(message);
      tabs.postMessage(message);
    });
  }));
}

/** The stream of the server. The browser connects again by itself, and says what it has heard of. */
class Stream {
  constructor(root, revision, tell) {
    this.tell = tell;
    this.state = "connecting";
    const query = revision ? `?since=${encodeURIComponent(revision)}` : "";
    const source = new EventSource(`${root}events${query}`);
    source.addEventListener("changed", (event) => {
      tell({ kind: "changed", objects: event.data.split(" "), revision: event.lastEventId });
    });
    source.addEventListener("resync", (event) => tell({ kind: "resync", revision: event.lastEventId }));
    source.addEventListener("daemon", (event) => this.become(event.data === "here" ? "live" : "away"));
    source.onerror = () => this.become(source.readyState === EventSource.CLOSED ? "ended" : "lost");
    // A browser that sleeps does not notice that its connection is gone.
    window.addEventListener("pagehide", () => source.close());
    window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  }

  become(state) {
    if (this.state === state) return;
    this.state = state;
    this.tell({ kind: "state", state });
  }
}
