import Channels
import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// Whether the database that belongs in the state directory is the one that is there.
struct PresenceTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/state" }
  private var database: String { path + "/baton.db" }

  /// Numbers that no one gets after a restore.
  private static let leftOut: Int64 = 1 << 32

  init() throws { folder = try TemporaryFolder() }

  private func fill(_ id: Int64 = 1) async throws {
    let store = try Store(directory: path)
    try await store.commit([.saveRelay(Self.relay(id))])
    store.close()
  }

  private static func relay(_ id: Int64) -> RelayRow {
    RelayRow(id: RelayID(rawValue: id), network: .nostr, address: "ws://r\(id)", name: "r\(id)", revision: id)
  }

  /// What a daemon leaves behind that is killed: database, log and mark as they are at this moment.
  private func kill(_ store: Store, _ last: RelayRow? = nil) throws -> String {
    let copy = folder.path + "/killed-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    for name in ["baton.db", "baton.db-wal", StateMark.name] {
      try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy + "/" + name)
    }
    return copy
  }

  private func refusal(_ directory: String) -> StoreError? {
    do {
      try Store(directory: directory).close()
      return nil
    } catch { return error as? StoreError }
  }

  @Test func databaseThatIsMissingOrEmptyIsNotTakenForANewOne() async throws {
    try await fill()
    try FileManager.default.removeItem(atPath: database)
    let missing = try #require(refusal(path))
    #expect(missing.code == .lost && "\(missing)".contains("is missing") && "\(missing)".contains("batond restore"))
    #expect(!FileManager.default.fileExists(atPath: database), "refusing makes no database")
    try Data().write(to: URL(fileURLWithPath: database))
    #expect(refusal(path)?.code == .lost)
    // The key alone tells, too.
    try FileManager.default.removeItem(atPath: path + "/" + StateMark.name)
    #expect(refusal(path) == nil, "nothing says that there ever was more")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    _ = try SecretBox.atFile(path + "/identity.key")
    #expect(refusal(path)?.code == .lost)
  }

  @Test func databaseThatHasLostItsLogIsNotUsed() async throws {
    let store = try Store(directory: path)
    try await store.commit([.saveRelay(Self.relay(1))])
    let early = try kill(store)
    // Everything is in the log at first; after it was written back, the last step is.
    store.checkpoint()
    try await store.commit([.saveRelay(Self.relay(2))])
    let late = try kill(store)
    for directory in [early, late] {
      try FileManager.default.removeItem(atPath: directory + "/baton.db-wal")
      let refused = try #require(refusal(directory))
      #expect(refused.code == .lost, "\(refused)")
    }
    #expect(refusal(late)?.description.contains("--accept-older") == true)
    let older = try Store(directory: late, whenLost: .acceptOlder)
    #expect(try older.relays().map(\.id.rawValue) == [1])
    let counters = try older.counters()
    #expect(counters.relay == 1 + Self.leftOut && counters.revision >= Self.leftOut, "2 was given out")
    older.close()
    #expect(refusal(late) == nil, "what was accepted once is accepted")
    store.close()
  }

  /// SQLite takes a damaged frame for the end of the log.
  @Test func logThatIsDamagedInTheMiddleIsNotUsed() async throws {
    let store = try Store(directory: path)
    for id in Int64(1)...12 { try await store.commit([.saveRelay(Self.relay(id))]) }
    let (whole, damaged, torn) = (try kill(store), try kill(store), try kill(store))
    store.close()
    let log = damaged + "/baton.db-wal"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    var changed = bytes
    for place in bytes.count * 3 / 4..<bytes.count * 3 / 4 + 4 { changed[place] ^= 0x55 }
    try changed.write(to: URL(fileURLWithPath: log))
    let refused = try #require(refusal(damaged))
    #expect(refused.code == .lost && "\(refused)".contains(log) && "\(refused)".contains("--accept-older"), "\(refused)")
    let older = try Store(directory: damaged, whenLost: .acceptOlder)
    #expect(try (6..<12).contains(older.relays().count))
    #expect(try older.counters().relay > Self.leftOut, "later numbers were given out")
    older.close()
    #expect(refusal(damaged) == nil, "what was accepted once is accepted")
    #expect(refusal(whole) == nil)
    // A machine that stops in the middle of a transaction leaves a part of it.
    try bytes.dropLast(5_000).write(to: URL(fileURLWithPath: torn + "/baton.db-wal"))
    #expect(refusal(torn) == nil)
  }

  /// The end of the last transaction was written, its beginning was not.
  @Test func tornTransactionIsNoDamage() async throws {
    let store = try Store(directory: path)
    try await store.commit([.saveRelay(Self.relay(1))])
    let copy = try kill(store)
    let log = copy + "/baton.db-wal"
    let before = try Data(contentsOf: URL(fileURLWithPath: log)).count
    try await store.commit((2...400).map { .saveRelay(Self.relay($0)) })
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/baton.db-wal"))
    store.close()
    try #require(bytes.count > before + 4 * 4_120)
    for place in before..<before + 4_120 { bytes[place] = 0 }
    try bytes.write(to: URL(fileURLWithPath: log))
    #expect(refusal(copy) == nil)
  }

  private func hasGap(_ log: Data) throws -> Bool {
    let path = folder.path + "/log"
    try log.write(to: URL(fileURLWithPath: path))
    return try #require(WriteAheadLog(path)).hasGap
  }

  /// Each attempt begins where the one before it began, so what is left is the end of each that was longer than those after it.
  @Test func whatFailedAttemptsLeaveIsNoDamage() throws {
    let base = folder.path + "/base.db"
    let pool = try DatabasePool(path: base)
    try pool.write { try $0.execute(sql: "CREATE TABLE more (value)") }
    let before = try Data(contentsOf: URL(fileURLWithPath: base + "-wal")).count
    var (log, sizes): (Data, [Int]) = (Data(), [])
    for pages in [12, 8, 4] {
      let copy = folder.path + "/copy-\(pages).db"
      for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: base + suffix, toPath: copy + suffix) }
      let queue = try DatabaseQueue(path: copy)
      try queue.write { try $0.execute(sql: "INSERT INTO more VALUES (zeroblob(\(pages * 4_096)))") }
      let attempt = try Data(contentsOf: URL(fileURLWithPath: copy + "-wal"))
      sizes.append(attempt.count)
      log = attempt + log.dropFirst(attempt.count)
      try queue.close()
      #expect(try !hasGap(log))
    }
    try pool.close()
    try #require(sizes[0] > sizes[1] && sizes[1] > sizes[2] && sizes[2] > before && log.count == sizes[0])
  }

  /// One later transaction is enough, whatever part of a frame is damaged.
  @Test func damageBeforeASingleTransactionIsNoticed() throws {
    let path = folder.path + "/base.db"
    let pool = try DatabasePool(path: path)
    try pool.write { try $0.execute(sql: "CREATE TABLE more (value)") }
    var logs: [Data] = []
    for value in 0...2 {
      if value > 0 { try pool.write { try $0.execute(sql: "INSERT INTO more VALUES (\(value))") } }
      logs.append(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
    }
    try pool.close()
    let (frame, whole) = (logs[0].count, logs[2])
    try #require(logs[1].count == frame + 4_120 && whole.count == frame + 2 * 4_120)
    #expect(try !hasGap(whole))
    // The number of the page, both salts, the sum, and the page itself.
    for place in [0, 8, 12, 16, 20, 1_000] {
      var damaged = whole
      damaged[frame + place] ^= 0x55
      #expect(try hasGap(damaged), "\(place)")
      damaged = whole
      damaged[frame + 4_120 + place] ^= 0x55
      #expect(try !hasGap(damaged), "it may be the last, which was never durable: \(place)")
    }
  }

  @Test func nothingIsWrittenWhileTheFileIsNotTheOneThatWasOpened() async throws {
    let store = try Store(directory: path)
    try await store.commit([.saveRelay(Self.relay(1))])
    store.checkpoint()
    let away = database + ".away"
    try FileManager.default.moveItem(atPath: database, toPath: away)
    await #expect {
      try await store.commit([.saveRelay(Self.relay(2))])
    } throws: {
      guard case .unavailable(let words)? = $0 as? CommitFailure else { return false }
      return words.contains("\(database) was moved away")
    }
    store.checkpoint()
    #expect(store.damageFound.contains { $0.contains("was moved away") }, "also where no one writes")
    #expect(try store.check().problems.contains { $0.contains("was moved away") })
    try FileManager.default.copyItem(atPath: away, toPath: database)
    await #expect(throws: CommitFailure.self, "a copy is another file") { try await store.commit([.saveRelay(Self.relay(2))]) }
    try FileManager.default.removeItem(atPath: database)
    try FileManager.default.moveItem(atPath: away, toPath: database)
    try await store.commit([.saveRelay(Self.relay(2))])
    #expect(!store.damageFound.contains { $0.contains("was moved away") }, "it is back")
    truncate(database, 4_096)
    await #expect {
      try await store.commit([.saveRelay(Self.relay(3))])
    } throws: {
      guard case .unavailable(let words)? = $0 as? CommitFailure else { return false }
      return words.contains("was cut off")
    }
    #expect(store.damageFound.contains { $0.contains("was cut off") })
    store.close()
  }

  @Test func whatWasWrittenIsInTheDatabaseFileAfterACheckpoint() async throws {
    let store = try Store(directory: path)
    try await store.commit((1...1_000).map { .saveRelay(Self.relay($0)) })
    let size = try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int ?? 0
    store.checkpoint()
    let after = try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int ?? 0
    #expect(after > size && after > 200_000)
    // Many rows do not wait for anyone to ask.
    try await store.commit((1_001...8_000).map { .saveRelay(Self.relay($0)) })
    let last = try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int ?? 0
    #expect(last > 2 * after)
    store.close()
  }

  @Test func olderCopyAndAnotherDatabaseAreNotUsed() async throws {
    try await fill(1)
    let copy = folder.path + "/copy"
    try FileManager.default.copyItem(atPath: database, toPath: copy)
    try await fill(2)
    try FileManager.default.removeItem(atPath: database)
    try FileManager.default.copyItem(atPath: copy, toPath: database)
    #expect(refusal(path)?.description.contains("older copy") == true)
    let other = folder.path + "/other"
    try Store(directory: other).close()
    try FileManager.default.removeItem(atPath: database)
    try FileManager.default.copyItem(atPath: other + "/baton.db", toPath: database)
    #expect(refusal(path)?.description.contains("another database took the place") == true)
    // Put back in the proper way, either is right.
    _ = try Store.restore(from: copy, directory: path, stamp: "1")
    #expect(refusal(path) == nil)
  }

  @Test func idsFromAfterTheCopyAreNotGivenOutAgain() async throws {
    try await fill(1)
    let copy = folder.path + "/copy"
    try FileManager.default.copyItem(atPath: database, toPath: copy)
    try await fill(2)
    _ = try Store.restore(from: copy, directory: path, stamp: "1")
    var store = try Store(directory: path)
    var counters = try store.counters()
    #expect(counters.relay == 1 + Self.leftOut)
    for last in [counters.channel, counters.operator, counters.server, counters.identity] { #expect(last == Self.leftOut) }
    try await store.commit([.saveRelay(Self.relay(counters.relay + 1))])
    #expect(try store.counters().relay == 2 + Self.leftOut)
    try store.backUp(to: copy + "2")
    store.close()
    // Again, from a copy that was made after it.
    _ = try Store.restore(from: copy + "2", directory: path, stamp: "2")
    store = try Store(directory: path)
    counters = try store.counters()
    #expect(counters.relay == 2 + 2 * Self.leftOut && counters.channel == 2 * Self.leftOut)
    #expect(try store.relays().map(\.id.rawValue) == [1, 2 + Self.leftOut])
    store.close()
  }

  @Test func whoSaysSoBeginsWithNothingAndKeepsWhatIsLeft() async throws {
    try await fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: database))
    try Store(directory: path, whenLost: .startEmpty).close()
    #expect(refusal(path) == nil)
    var store = try Store(directory: path, whenLost: .startEmpty)
    #expect(try store.relays().count == 1, "where nothing is lost nothing is thrown away")
    store.close()
    try whole.prefix(4_096).write(to: URL(fileURLWithPath: database))
    _ = try? FileHandle(forWritingTo: URL(fileURLWithPath: database)).truncate(atOffset: 0)
    store = try Store(directory: path, whenLost: .startEmpty)
    #expect(try store.relays().isEmpty)
    store.close()
    let kept = try FileManager.default.contentsOfDirectory(atPath: path).filter {
      $0.contains(".before-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
    }
    #expect(kept.count == 1)
    #expect(refusal(path) == nil)
  }

  @Test func filesAreForTheirOwnerOnlyWhateverTheDirectoryIs() async throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let store = try Store(directory: path)
    try await store.commit([.saveRelay(Self.relay(1))])
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      let mode = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int ?? 0
      #expect(mode == 0o600, "\(name) has \(String(mode, radix: 8))")
    }
    store.close()
    chmod(database, 0o644)
    try Store(directory: path).close()
    #expect(try FileManager.default.attributesOfItem(atPath: database)[.posixPermissions] as? Int == 0o600)
  }

  @Test func lockAndMarkAreNotWrittenThroughLinks() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let other = folder.path + "/other"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: other))
    for name in ["lock", StateMark.name + ".new"] {
      try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: other)
      try? Store(directory: path).close()
      #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data("precious".utf8))
      try? FileManager.default.removeItem(atPath: path + "/" + name)
    }
  }

  @Test func onlyWhatAPersonMustChangeIsNotAccessible() throws {
    for number in [ENOSPC, EDQUOT, EROFS, EIO, EFBIG, EMFILE, ENFILE, ENOMEM] {
      #expect(StoreError("cannot write x", errno: number).code == .inputOutput, "\(number)")
    }
    for number in [EACCES, EPERM, ENOENT, ENOTDIR, EISDIR, EEXIST, ELOOP, ENAMETOOLONG] {
      #expect(StoreError("cannot write x", errno: number).code == .notAccessible, "\(number)")
    }
    let file = folder.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    let refused = try #require(refusal(file + "/above/state"))
    #expect(refused.code == .notAccessible && "\(refused)".contains(file + "/above"), "\(refused)")
    #expect(refusal(folder.path + "/above/state") == nil, "folders above are made, too")
  }

  @Test func databaseThatSQLiteCannotOpenSaysWhy() throws {
    #expect(StoreError.Code.ofUnusable(folder.path + "/none/baton.db") == .notAccessible)
    #expect(StoreError.Code.ofUnusable(database) == .notAccessible)
    try Store(directory: path).close()
    #expect(StoreError.Code.ofUnusable(database) == .inputOutput, "nothing forbids it: it is something that may end")
  }

  /// SQLite notes what ends a copy with another connection than the one that is asked for the words.
  @Test func failureIsNeverCalledNoError() {
    let error = Store.wrap(DatabaseError(resultCode: .SQLITE_FULL, message: "not an error"), "/copy.db")
    #expect(error.code == .inputOutput && error.description == "/copy.db: 13 (database or disk is full)")
  }

  @Test func markThatIsRubbishIsNamed() async throws {
    try await fill()
    try Data("{}".utf8).write(to: URL(fileURLWithPath: path + "/" + StateMark.name))
    #expect(refusal(path)?.code == .corrupt)
    #expect(refusal(path)?.description.contains("baton.state") == true)
  }
}
