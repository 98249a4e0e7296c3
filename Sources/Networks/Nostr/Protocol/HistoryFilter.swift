internal import StrictJSON

/// The events whose history is read, whenever they were made (NIP-01).
struct HistoryFilter: Hashable, Sendable {
  /// Public keys, or empty for anyone.
  let authors: Set<String>
  /// Empty for any kind.
  let kinds: Set<Int>
  /// Values by the name of their tag, such as `e` or `h`: the event has each tag, with one of its values.
  let tags: [String: Set<String>]

  init(authors: Set<String> = [], kinds: Set<Int> = [], tags: [String: Set<String>] = [:]) {
    self.authors = authors
    self.kinds = kinds
    self.tags = tags
  }

  /// Whether an event is among them. Relays ignore members of a filter that they do not support, so each event is checked.
  func matches(_ event: NostrEvent) -> Bool {
    (authors.isEmpty || authors.contains(event.publicKey)) && (kinds.isEmpty || kinds.contains(event.kind))
      && tags.allSatisfy { name, values in
        event.tags.contains { $0.count > 1 && $0[0] == name && values.contains($0[1]) }
      }
  }

  /// The filter for one page, for a REQ.
  func json(_ query: HistoryPager.Query) -> JSONValue {
    var members = json().object ?? [:]
    if query.until <= HistoryPager.endOfTime { members["until"] = .integer(query.until) }
    members["limit"] = .integer(Int64(query.limit))
    if let since = query.since { members["since"] = .integer(since) }
    return .object(members)
  }

  /// The filter without bounds, for a REQ.
  func json() -> JSONValue {
    var members: [String: JSONValue] = [:]
    if !authors.isEmpty { members["authors"] = .array(authors.sorted().map(JSONValue.string)) }
    if !kinds.isEmpty { members["kinds"] = .array(kinds.sorted().map { .integer(Int64($0)) }) }
    for (name, values) in tags { members["#" + name] = .array(values.sorted().map(JSONValue.string)) }
    return .object(members)
  }
}
