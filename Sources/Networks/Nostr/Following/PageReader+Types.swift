internal import Channels
internal import RelayNetwork

extension PageReader {
  /// An event that a page has brought. It is verified, except where it was seen before.
  enum Found: Hashable, Sendable {
    /// - again: whether to tell it even if it was told before.
    case said(NostrEvent, again: Bool)
    /// It is about these events, which are in these channels.
    case mark(NostrEvent, [String: ChannelID], again: Bool)
  }

  /// What follows when the REQs of a step are over.
  enum Turn: Hashable, Sendable {
    /// The channel was read as a whole, and this became of that.
    case ended(ChannelID, MessageSync)
    /// The channel's messages were read as a whole. The reading continues with the answer to: which others are stored?
    case compares(ChannelID, number: Int, served: Set<String>)
    /// The deletions and reactions of what other relays have served in these channels could not be read.
    case unheard(Set<ChannelID>)
  }
}
