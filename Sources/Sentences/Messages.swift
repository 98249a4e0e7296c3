// Refusals that are about messages.
extension RefusalSentence {
  /// A channel whose messages are not read; `nil` if none are.
  public static func notFollowed(channel: Int64?) -> Self {
    Self(
      channel.map { "the messages of channel \($0) are not read" } ?? "this daemon reads no messages",
      "Baton reads those of channels that were not deleted, on networks that it serves, unless the option messages.follow is false or "
        + "batonctl channel following has turned it off"
    )
  }

  /// A message that cannot be hidden, or pinned.
  public static func invalidMessage(message: Int64, reason: String) -> Self {
    Self("this is not possible with message \(message): \(reason)")
  }

  /// Somebody of whom nothing is known.
  public static func noSuchPerson(author: String) -> Self {
    Self(
      "no one with the name '\(author)' has written a message that is stored here, is muted, or belongs to a channel",
      "batonctl people lists who did; on Nostr, write the whole public key, npub1… or nprofile1…")
  }

  /// Somebody who does not belong to a channel.
  public static func noSuchMember(channel: Int64, author: String) -> Self {
    Self(
      "nobody with the name '\(author)' belongs to channel \(channel), or asks to be let in, as far as that is known here",
      "batonctl member list has those who do; on Nostr, write the whole public key, npub1… or nprofile1…")
  }

  /// A change of who belongs to a channel that is not possible like this.
  public static func invalidMember(field: String, reason: String) -> Self {
    let what =
      switch field {
      case "author": "this person"
      case "roles": "these roles"
      case "reason": "this reason"
      default: "this change"
      }
    return Self("\(what) cannot be taken: \(reason)")
  }

  /// Words that cannot be searched.
  public static func invalidSearch(reason: String) -> Self { Self("these words cannot be searched: \(reason)") }
}
