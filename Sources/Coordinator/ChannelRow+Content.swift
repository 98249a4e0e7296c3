internal import RelayNetwork
internal import Storage

extension ChannelRow {
  /// The content that networks need to know of the channel.
  var content: ChannelContent {
    ChannelContent(
      kind: kind, identity: identity, networkID: networkID, author: author, document: document, edition: edition,
      notice: notice, keySalt: keySalt)
  }
}
