/// The way in which a sandbox relay misbehaves. A relay has one fault at a time.
public enum SandboxFault: String, Sendable, CaseIterable {
  /// Works as it should.
  case none
  /// Refuses every event for good.
  case refuse
  /// Accepts all messages and answers none.
  case stall
  /// Asks to come back later.
  case rateLimit = "rate-limit"
  /// Demands NIP-42 authentication before it accepts events.
  case auth
  /// Demands NIP-42 authentication of the author of each event.
  case authAuthor = "auth-author"
  /// Claims in its NIP-11 document that it accepts only events of known authors.
  case restricted
  /// Keeps only the newest kind 41 of each author, as many relays do.
  case onePerAuthor = "one-per-author"
  /// Answers under an empty event id.
  case emptyID = "empty-id"
  /// Answers "OK, true" and stores nothing.
  case lose
  /// Serves a different event under the requested id.
  case forgeID = "forge-id"
  /// Serves the right event with a broken signature.
  case forgeSignature = "forge-signature"
  /// Forgets all events and groups, once. It keeps the key that signs groups.
  case forget
  /// Describes its groups, their admins, members and pinned posts (kinds 39000, 39001, 39002 and 39005) under a key other than its own.
  case foreignGroup = "foreign-group"
  /// Answers that a group to be created exists already, and belongs to someone else.
  case groupTaken = "group-taken"
  /// Keeps requests to join groups (kind 9021), and lets no one in by itself.
  case waitingRoom = "waiting-room"
  /// Closes the connection in the middle of a frame.
  case closeMidFrame = "close-mid-frame"
  /// Answers with text that is not Nostr.
  case rubbish
  /// Answers with binary frames.
  case binary
  /// Answers with a frame of 17 MiB.
  case huge
  /// Sends unrequested messages, as fast as they are read.
  case floodPongs = "flood-pongs"
  case floodNotices = "flood-notices"
  case floodOKs = "flood-oks"
  case floodEvents = "flood-events"
  /// Stores and serves everything, and never answers an event.
  case mute
  /// Serves one event per request, even if more are requested.
  case oneEvent = "one-event"
  /// Answers each request with unreadable events, and an end of request without a name, before the events that it should serve.
  case unreadable
  /// Accepts one connection at a time and drops others before the handshake.
  case oneConnection = "one-connection"
  /// Accepts one connection at a time and closes others with a reason after the handshake.
  case oneConnectionPolitely = "one-connection-politely"
  /// Accepts one connection at a time, and lets others open without ever answering them.
  case oneConnectionSilently = "one-connection-silently"
  /// Accepts one connection at a time, the newest: it closes the others.
  case newestConnection = "newest-connection"
  /// Answers with masked frames, as only clients may.
  case masked
  /// Answers with text that is not UTF-8.
  case notUTF8 = "not-utf8"
  /// Does not accept connections and drops all open connections.
  case down
}
