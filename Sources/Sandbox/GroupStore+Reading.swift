internal import Nostr

/// The rules for reading: only members get the content of `private` groups and the metadata of `hidden` ones.
extension GroupStore {
  /// Whether an event may be shown to someone who authenticated with `keys`.
  func isReadable(_ event: NostrEvent, by keys: Set<String>) -> Bool {
    let isState = GroupAction.stateKinds.contains(event.kind)
    guard let id = event.tag(isState ? "d" : "h"), let group = groups[id],
      group.flags.contains(isState ? .hidden : .private)
    else { return true }
    return keys.contains(where: group.isMember)
  }

  /// The reason why a request is not answered at all, as the text of the CLOSED: it names a private group. A wider request is
  /// answered without the private groups, and nothing reveals that there are any.
  func refusal(of filters: [EventFilter], by keys: Set<String>) -> String? {
    let named = filters.flatMap { $0.tags["h"] ?? [] }.compactMap { groups[$0] }
    let isForeign = named.contains { $0.flags.contains(.private) && !keys.contains(where: $0.isMember) }
    guard isForeign else { return nil }
    return keys.isEmpty ? "auth-required: the group is private" : "restricted: unknown member"
  }
}
