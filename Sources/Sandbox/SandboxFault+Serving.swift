internal import Nostr

extension SandboxFault {
  /// The event that a relay with this fault serves in place of another.
  /// - Parameter stranger: a key that is not the relay's own.
  func served(_ event: NostrEvent, stranger: SecretKey) -> NostrEvent {
    switch self {
    case .forgeID:
      return NostrEvent(
        id: event.id, publicKey: event.publicKey, createdAt: event.createdAt, kind: event.kind, tags: event.tags,
        content: event.content + " ", signature: event.signature)
    case .forgeSignature:
      return NostrEvent(
        id: event.id, publicKey: event.publicKey, createdAt: event.createdAt, kind: event.kind, tags: event.tags,
        content: event.content, signature: String(repeating: "0", count: 128))
    case .foreignGroup:
      switch Group.State(rawValue: event.kind) {
      case .metadata, .admins, .members, .pins:
        return NostrEvent(
          signedBy: stranger, createdAt: event.createdAt, kind: event.kind, tags: event.tags, content: event.content) ?? event
      case nil, .roles: return event
      }
    case .none, .refuse, .stall, .rateLimit, .auth, .authAuthor, .restricted, .onePerAuthor, .emptyID, .lose, .forget,
      .groupTaken, .waitingRoom, .closeMidFrame, .rubbish, .binary,
      .huge, .floodPongs, .floodNotices, .floodOKs, .floodEvents, .mute, .oneEvent, .unreadable, .oneConnection,
      .oneConnectionPolitely, .oneConnectionSilently, .newestConnection,
      .masked, .notUTF8, .down:
      return event
    }
  }
}
