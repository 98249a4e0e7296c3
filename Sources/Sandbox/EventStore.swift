internal import GRDB
internal import Nostr
internal import StrictJSON
internal import Synchronization

/// The events of a sandbox relay: in memory, and in an SQLite file when there is one.
final class EventStore: Sendable {
  private struct State {
    var events: [String: NostrEvent] = [:]
    var deleted: Set<String> = []
  }
  private let state = Mutex(State())
  private let file: DatabaseQueue?

  /// - Parameter path: nil keeps the events in memory only.
  init(path: String?) throws {
    guard let path else {
      file = nil
      return
    }
    let file = try DatabaseQueue(path: path)
    try file.write { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT NOT NULL) STRICT")
    }
    let texts = try file.read { db in try String.fetchAll(db, sql: "SELECT event FROM events ORDER BY rowid") }
    self.file = file
    for text in texts {
      if let json = try? JSONParser.parse(text), let event = NostrEvent(json: json) { keep(event) }
    }
  }

  var count: Int { state.withLock { $0.events.count } }

  /// - Returns: false when the event is known already or was deleted by its author.
  func add(_ event: NostrEvent) throws -> Bool {
    guard keep(event) else { return false }
    try file?.write { db in
      try db.execute(
        sql: "INSERT OR IGNORE INTO events (id, event) VALUES (?, ?)", arguments: [event.id, event.text])
    }
    return true
  }

  @discardableResult
  private func keep(_ event: NostrEvent) -> Bool {
    state.withLock { state in
      guard state.events[event.id] == nil, !state.deleted.contains(event.id) else { return false }
      state.events[event.id] = event
      guard event.kind == 5 else { return true }
      // NIP-09: an author takes back events of their own.
      for tag in event.tags where tag.first == "e" && tag.count > 1 {
        guard let target = state.events[tag[1]], target.publicKey == event.publicKey else { continue }
        state.events[tag[1]] = nil
        state.deleted.insert(tag[1])
      }
      return true
    }
  }

  func forgetAll() {
    state.withLock { $0 = State() }
    try? file?.write { db in try db.execute(sql: "DELETE FROM events") }
  }

  /// The events that match, newest first.
  func find(_ filter: EventFilter) -> [NostrEvent] {
    state.withLock { state in
      if let ids = filter.ids {
        return ids.compactMap { state.events[$0] }.filter(filter.matches)
      }
      let events = state.events.values.filter(filter.matches)
      return Array(events.sorted { ($0.createdAt, $1.id) > ($1.createdAt, $0.id) }.prefix(filter.limit ?? 500))
    }
  }
}

/// A filter of a REQ (NIP-01).
struct EventFilter: Sendable {
  let ids: [String]?
  let authors: Set<String>?
  let kinds: Set<Int64>?
  let tags: [Character: Set<String>]
  let since: Int64?
  let until: Int64?
  let limit: Int?

  init?(_ json: JSONValue) {
    guard let members = json.object else { return nil }
    func texts(_ key: String) -> [String]? { members[key]?.array?.compactMap(\.string) }
    ids = texts("ids")
    authors = texts("authors").map(Set.init)
    kinds = members["kinds"]?.array.map { Set($0.compactMap(\.integer)) }
    since = members["since"]?.integer
    until = members["until"]?.integer
    limit = members["limit"]?.integer.map { max(0, Int($0)) }
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
      }
  }
}
