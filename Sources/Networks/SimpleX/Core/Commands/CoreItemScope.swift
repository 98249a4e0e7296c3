/// Where a message is deleted from (`CIDeleteMode`).
public enum CoreItemScope: String, Hashable, Sendable, CaseIterable {
  /// From the relays and from readers. Only for own messages of the last 30 hours.
  case everywhere = "broadcast"
  /// From the history that relays give to new readers, for own messages of any age. Readers who have it keep it. The core signs this.
  case history
}
