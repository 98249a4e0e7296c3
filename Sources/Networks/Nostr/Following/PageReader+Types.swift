internal import Channels
internal import RelayNetwork

extension PageReader {
  /// An event that a page has brought. It is verified, except where it was seen before.
  enum Found: Hashable, Sendable {
    /// - again: whether to report it even if it was reported before.
    case said(NostrEvent, again: Bool)
    /// It is about these events, which are in these channels.
    case mark(NostrEvent, [String: ChannelID], again: Bool)
  }

  /// The next step when the REQs of a step are over.
  enum Turn: Hashable, Sendable {
    /// The channel was read as a whole, with this outcome.
    case ended(ChannelID, MessageSync)
    /// The channel's messages were read as a whole. The reading continues with the answer to: which others are stored?
    case compares(ChannelID, number: Int, served: Set<String>)
    /// The deletions and reactions of messages that other relays have served in these channels could not be read.
    case unheard(Set<ChannelID>)
  }
}
