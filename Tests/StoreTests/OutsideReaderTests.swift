import Channels
import Foundation
import Storage
import Store
import TestSupport
import Testing

/// Operators look into the database of a daemon that runs, with SQLite's own program.
struct OutsideReaderTests {
  @Test func whoeverLooksAtTheDatabaseTakesNothingAway() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    let database = folder.path + "/state/baton.db"
    for number in 1...3 as ClosedRange<Int64> {
      let relay = RelayRow(
        id: RelayID(rawValue: number), network: .nostr, address: "ws://r\(number)", name: "r\(number)", revision: number)
      try await store.commit([.saveRelay(relay)])
      // The last one who closes a database removes its log; the store is still there.
      let (status, lines) = try await Program.run("/usr/bin/sqlite3", [database, "SELECT count(*) FROM relays"])
      #expect(status == 0 && lines == ["\(number)"], "what was committed is there for everyone")
      #expect(FileManager.default.fileExists(atPath: database + "-wal"), "the log is still in use")
    }
    store.close()
    withExtendedLifetime(folder) {}
  }

  @Test func nobodyElseMayReadItsFiles() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/state"
    try Store(directory: path).close()
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/baton.db")
    let store = try Store(directory: path)
    for name in ["baton.db", "baton.db-wal", "baton.db-shm"] {
      let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    store.close()
    withExtendedLifetime(folder) {}
  }
}
