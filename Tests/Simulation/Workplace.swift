import Foundation
import GRDB
import Storage
import Synchronization
import TestSupport

@testable import Store

/// A store that one run after the other uses, empty each time. It is a real one, in memory where there is such a place.
final class Workplace: Sendable {
  let store: Store
  private let path: String

  init() throws {
    let base = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
    path = base + "baton-simulation-" + UUID().uuidString.prefix(8)
    store = try Store(directory: path)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The store with nothing in it.
  func emptied() throws -> Store {
    try store.pool.write { db in
      let tables = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
      for table in tables { try db.execute(sql: "DELETE FROM \(table)") }
    }
    store.history.withLock { $0 = Store.HistorySizes() }
    FaultyStorage.wasEmptied(store)
    return store
  }
}
