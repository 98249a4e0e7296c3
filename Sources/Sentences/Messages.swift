// Refusals that are about messages.
extension RefusalSentence {
  /// A channel whose messages are not read.
  public static func notFollowed(channel: Int64) -> Self {
    Self(
      "the messages of channel \(channel) are not read",
      "Baton reads those of channels that were not deleted, on networks that it serves, unless the option messages.follow is false"
    )
  }

  /// Words that cannot be searched.
  public static func invalidSearch(reason: String) -> Self { Self("these words cannot be searched: \(reason)") }
}
