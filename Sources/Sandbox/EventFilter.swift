internal import Nostr
internal import StrictJSON

/// A filter of a REQ (NIP-01), with words to search for (NIP-50).
struct EventFilter: Sendable {
  let ids: [String]?
  let authors: Set<String>?
  let kinds: Set<Int64>?
  let tags: [Character: Set<String>]
  let since: Int64?
  let until: Int64?
  let limit: Int?
  /// Words in lower case, all of which the content holds.
  let words: [String]

  init?(_ json: JSONValue) {
    guard let members = json.object else { return nil }
    func texts(_ key: String) -> [String]? { members[key]?.array?.compactMap(\.string) }
    ids = texts("ids")
    authors = texts("authors").map(Set.init)
    kinds = members["kinds"]?.array.map { Set($0.compactMap(\.integer)) }
    since = members["since"]?.integer
    until = members["until"]?.integer
    limit = members["limit"]?.integer.map { max(0, Int($0)) }
    words = members["search"]?.string?.lowercased().split(separator: " ").map(String.init) ?? []
    var tags: [Character: Set<String>] = [:]
    for key in members.keys where key.count == 2 && key.hasPrefix("#") {
      if let name = key.last, let values = texts(key) { tags[name] = Set(values) }
    }
    self.tags = tags
  }

  func matches(_ event: NostrEvent) -> Bool {
    (ids?.contains(event.id) ?? true) && (authors?.contains(event.publicKey) ?? true)
      && (kinds?.contains(Int64(event.kind)) ?? true) && (since.map { event.createdAt >= $0 } ?? true)
      && (until.map { event.createdAt <= $0 } ?? true)
      && tags.allSatisfy { name, values in
        event.tags.contains { $0.first == String(name) && $0.count > 1 && values.contains($0[1]) }
      } && holdsWords(event)
  }

  private func holdsWords(_ event: NostrEvent) -> Bool {
    guard !words.isEmpty else { return true }
    let text = event.content.lowercased()
    return words.allSatisfy { text.contains($0) }
  }

  /// The newest of `events`, as many as the request wants, newest first.
  func newest(_ events: [NostrEvent]) -> [NostrEvent] {
    Array(events.sorted { ($0.createdAt, $1.id) > ($1.createdAt, $0.id) }.prefix(limit ?? 500))
  }
}
