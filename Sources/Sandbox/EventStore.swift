internal import Foundation
internal import GRDB
internal import Nostr
internal import Secrets
internal import StrictJSON
internal import Synchronization

/// The events of a sandbox relay: in memory, and in an SQLite file if there is one.
final class EventStore: Sendable {
  private struct State {
    var events: [String: NostrEvent] = [:]
    var deleted: Set<String> = []
    /// The newest event of each kind and author.
    var newest: [Place: String] = [:]
  }
  /// The key under which a relay keeps one event only, if it does not keep all events of this kind.
  private struct Place: Hashable {
    let kind: Int
    let author: String

    init(_ event: NostrEvent) { (kind, author) = (event.kind, event.publicKey) }
  }
  private let state = Mutex(State())
  private let file: DatabaseQueue?

  /// - Parameter path: the file, or `nil` to keep the events in memory only.
  init(path: String?) throws {
    guard let path else {
      file = nil
      return
    }
    let file = try DatabaseQueue(path: path)
    try file.write { db in
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, event TEXT NOT NULL) STRICT")
      try db.execute(sql: "CREATE TABLE IF NOT EXISTS relay (key BLOB NOT NULL) STRICT")
    }
    let texts = try file.read { db in try String.fetchAll(db, sql: "SELECT event FROM events ORDER BY rowid") }
    self.file = file
    for text in texts {
      if let json = try? JSONParser.parse(text), let event = NostrEvent(json: json) { keep(event) }
    }
  }

  var count: Int { state.withLock { $0.events.count } }

  /// The outcome of storing an event.
  enum Fate {
    case kept
    /// The event is stored already, or was deleted by its author.
    case known
    /// A newer event replaces it.
    case outdated
  }

  /// - Parameter keepsNewest: whether only the newest event of this kind is kept for each author.
  func take(_ event: NostrEvent, keepsNewest: Bool) throws -> Fate {
    guard keepsNewest else { return try add(event) ? .kept : .known }
    let (isOutdated, older): (Bool, String?) = state.withLock { state in
      guard let other = state.newest[Place(event)].flatMap({ state.events[$0] }), other.id != event.id else {
        return (false, nil)
      }
      // Of two events with the same date the lower id wins.
      if (other.createdAt, event.id) > (event.createdAt, other.id) { return (true, nil) }
      state.events[other.id] = nil
      return (false, other.id)
    }
    guard !isOutdated else { return .outdated }
    if let older { try remove([older]) }
    return try add(event) ? .kept : .known
  }

  /// - Returns: false if the event is stored already or was deleted by its author.
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
      let known = state.newest[Place(event)].flatMap { state.events[$0] }
      if known.map({ ($0.createdAt, event.id) < (event.createdAt, $0.id) }) ?? true { state.newest[Place(event)] = event.id }
      guard event.kind == 5 else { return true }
      // By NIP-09, authors delete only their own events.
      for tag in event.tags where tag.first == "e" && tag.count > 1 {
        guard let target = state.events[tag[1]], target.publicKey == event.publicKey else { continue }
        state.events[tag[1]] = nil
        state.deleted.insert(tag[1])
      }
      return true
    }
  }

  /// Drops events for good, no matter who wrote them.
  func remove(_ ids: Set<String>) throws {
    guard !ids.isEmpty else { return }
    state.withLock { state in
      for id in ids { state.events[id] = nil }
    }
    try file?.write { db in
      for id in ids { try db.execute(sql: "DELETE FROM events WHERE id = ?", arguments: [id]) }
    }
  }

  /// The stored events in the order in which they came. Empty without a file.
  func history() throws -> [NostrEvent] {
    let ids = try file?.read { db in try String.fetchAll(db, sql: "SELECT id FROM events ORDER BY rowid") } ?? []
    return state.withLock { state in ids.compactMap { state.events[$0] } }
  }

  /// The relay's own key, from the file or new.
  func key() throws -> SecretKey {
    guard let file else { return .random() }
    return try file.write { db in
      if let bytes = try Data.fetchOne(db, sql: "SELECT key FROM relay") { return try SecretKey(Secret(bytes)) }
      let key = SecretKey.random()
      try db.execute(sql: "INSERT INTO relay (key) VALUES (?)", arguments: [key.secret.withUnsafeBytes { Data($0) }])
      return key
    }
  }

  func forgetAll() {
    state.withLock { $0 = State() }
    try? file?.write { db in try db.execute(sql: "DELETE FROM events") }
  }

  /// The events that match and that may be read, newest first.
  func find(_ filter: EventFilter, where isReadable: (NostrEvent) -> Bool = { _ in true }) -> [NostrEvent] {
    state.withLock { state in
      if let ids = filter.ids {
        return ids.compactMap { state.events[$0] }.filter { filter.matches($0) && isReadable($0) }
      }
      return filter.newest(state.events.values.filter { filter.matches($0) && isReadable($0) })
    }
  }
}
