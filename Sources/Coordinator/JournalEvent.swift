/// A kind of event that operators may search the journal for: the value of `MESSAGE_ID`. Never change one.
public enum JournalEvent: String, Sendable, CaseIterable {
  /// A channel relay changed or was retried.
  case transition = "6f2a2d0f3f5b4c5c9d0e6c1b7a8e4f10"
  case channelCreated = "0c9a7d3e5b1f4e6f8a2b4c6d8e0f1a32"
  case channelDeleted = "b1d4f7a90c3e4d5a8b6c7e9f0a1b2c54"
  /// A relay went up or down.
  case relayHealth = "5e8c1b4a7d0f43b69a2c5e8f1b4d7a76"
  case relayChanged = "d7e0a3c6f9b24e5d8c1f4a7b0d3e6998"
  case storageFailed = "9b3e6d0c2f5a48b7a1d4e7f0c3b6a9ba"
  case storageRecovered = "2d5f8b1e4a7c40d39e6b9c2f5a8d1edc"
  /// A stored channel could not be read and is left alone.
  case quarantined = "e4a7c0f3b6d94f2a8e1d5b8c2f6a90fe"
}
