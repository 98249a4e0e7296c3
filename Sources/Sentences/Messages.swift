// Refusals that are about messages.
extension RefusalSentence {
  /// A channel whose messages are not read, or `nil` if Baton reads none.
  public static func notFollowed(id channel: Int64?) -> Self {
    Self(
      channel.map { "reading messages is off for channel \($0), or the channel was deleted" } ?? "reading messages is off",
      "See batonctl channel edit --read and the option messages.follow")
  }

  /// A message that cannot be hidden, or pinned.
  public static func invalidMessage(id message: Int64, reason: String) -> Self {
    Self("this does not work for message \(message): \(reason)")
  }

  /// An unknown person.
  public static func noSuchPerson(author: String) -> Self {
    Self(
      "no one called '\(author)' has written here, been muted or joined a channel",
      "batonctl people lists everyone. On Nostr, you can write the whole public key, npub1… or nprofile1…")
  }

  /// Someone who does not belong to a channel.
  public static func noSuchMember(channelId channel: Int64, author: String) -> Self {
    Self(
      "no member or join request called '\(author)' in channel \(channel)",
      "batonctl member list shows them. On Nostr, you can write the whole public key, npub1… or nprofile1…")
  }

  /// A change of a channel's members that is not possible like this.
  public static func invalidMember(field: String, reason: String) -> Self {
    let what =
      switch field {
      case "author": "member"
      case "roles": "roles"
      case "reason": "reason"
      default: "change"
      }
    return Self("invalid \(what): \(reason)")
  }

  /// Words that cannot be searched.
  public static func invalidSearch(reason: String) -> Self { Self("invalid search: \(reason)") }
}
