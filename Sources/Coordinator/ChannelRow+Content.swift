internal import RelayNetwork
internal import Storage

extension ChannelRow {
  /// The content of the channel for networks.
  var content: ChannelContent {
    ChannelContent(
      kind: kind, identity: identity, networkID: networkID, trustAnchor: trustAnchor, document: document, edition: edition,
      newestEdition: newestEdition, keySalt: keySalt)
  }
}
