internal import RelayNetwork
internal import Storage

extension ChannelRow {
  /// The content that networks need to know of the channel.
  var content: ChannelContent {
    ChannelContent(
      kind: kind, identity: identity, networkID: networkID, trustAnchor: trustAnchor, document: document, edition: edition,
      newestEdition: newestEdition, keySalt: keySalt)
  }
}
