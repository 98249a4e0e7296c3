import Channels
import Foundation
import Storage
import Testing

@testable import Coordinator

/// The log beside a simple model: all changes ever made, and readers that read what they missed from the store.
/// `BATON_SEED=n scripts/test CoordinatorTests --filter ChangeLogModel` repeats a failure.
struct ChangeLogModelTests {
  /// A reader that follows the log, as a watch does.
  private struct Reader {
    let wanted: Set<Int64>?
    /// The revision at which it began.
    let start: Int64
    var id: Int
    var last: Int64
    /// The revision up to which it is reading from the store.
    var catchesUpTo: Int64?
    var isMerged = false
    var got: [(revision: Int64, relay: Int64)] = []
    /// The range that it read merged: after the first, up to the second.
    var merged: [(after: Int64, through: Int64)] = []

    func wants(_ relay: Int64) -> Bool { wanted?.contains(relay) ?? true }
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private struct World {
    var random: SplitMix64
    let changesMax: Int
    let bytesMax: Int
    var log: ChangeLog
    /// All stored changes with their revisions.
    var history: [(revision: Int64, relay: Int64)] = []
    /// The revision up to which changes were last skipped silently.
    var skipped: Int64 = 0
    var readers: [Reader] = []
    var nextID = 1
    /// The number of times that a reader was too slow.
    var tooSlow = 0

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      changesMax = Int.random(in: 3...20, using: &random)
      bytesMax = Bool.random(using: &random) ? .max : relayChange(1).roughBytes * Int.random(in: 2...10, using: &random)
      log = ChangeLog(limits: .init(changesMax: changesMax, bytesMax: bytesMax))
    }

    var revision: Int64 { history.last?.revision ?? 0 }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    // MARK: - Events

    mutating func commit(_ count: Int) {
      var changes: [Change] = []
      for _ in 0..<count {
        // Some revisions have no change.
        let next = revision + Int64.random(in: 1...2, using: &random)
        history.append((next, Int64.random(in: 1...6, using: &random)))
        changes.append(relayChange(next, of: history[history.count - 1].relay))
      }
      if chance(3) {
        log.skip(to: revision)
        skipped = revision
      } else {
        log.append(changes, revision: revision)
      }
    }

    mutating func join() {
      let wanted: Set<Int64>? = chance(40) ? nil : Set((1...6).filter { _ in Bool.random(using: &random) })
      readers.append(Reader(wanted: wanted, start: revision, id: nextID, last: revision))
      log.add(nextID, selection(wanted))
      nextID += 1
    }

    private func selection(_ wanted: Set<Int64>?) -> ChangeSelection {
      ChangeSelection(relays: wanted.map { Set($0.map(RelayID.init(rawValue:))) })
    }

    // MARK: - Readers

    mutating func read(_ index: Int) throws -> Bool {
      var reader = readers[index]
      defer { readers[index] = reader }
      if let end = reader.catchesUpTo {
        readStore(&reader, end)
        return true
      }
      let isNews = chance(50) ? log.hasNews(for: reader.id) : nil
      let taken = log.take(reader.id)
      switch taken {
      case .change(let entry):
        guard case .catalog(let object, _) = entry.change.object, entry.change.revision > reader.last else {
          throw Failure("\(entry.change.revision) comes after \(reader.last)")
        }
        if try entry.message(by: { _ in [1, 2, 3] }).isNew {
          log.grow(entry.number, by: Int.random(in: 0...4000, using: &random))
        }
        reader.last = entry.change.revision
        reader.got.append((entry.change.revision, object.id))
      case .nothing:
        for row in history.reversed().prefix(while: { $0.revision > reader.last }) where reader.wants(row.relay) {
          throw Failure("nothing comes after \(reader.last), although there is \(row)")
        }
      case .missed(let after, let through):
        guard after >= reader.last, through == revision else { throw Failure("\(taken.words), but it is at \(reader.last)") }
        try checkFall(after)
        (reader.last, reader.catchesUpTo, reader.isMerged) = (after, through, true)
        reader.merged.append((after, through))
      case .tooSlow(let after):
        guard after == reader.last, reader.isMerged, reader.merged.last?.through == after else {
          throw Failure("\(taken.words), but it is at \(reader.last)")
        }
        try checkFall(after)
        tooSlow += 1
        // It watches again from there.
        log.remove(reader.id)
        (reader.id, reader.catchesUpTo, reader.isMerged) = (nextID, revision, false)
        log.add(nextID, selection(reader.wanted))
        nextID += 1
      case .over: throw Failure("it is over")
      }
      if let isNews, isNews == (taken.words == "nothing") { throw Failure("\(taken.words), and news: \(isNews)") }
      if case .nothing = taken { return false }
      return true
    }

    /// Takes the next few stored changes.
    private mutating func readStore(_ reader: inout Reader, _ end: Int64) {
      let (last, isMerged) = (reader.last, reader.isMerged)
      let newest = Dictionary(history.map { ($0.relay, $0.revision) }) { _, later in later }
      let rows = history.filter { row in
        row.revision > last && row.revision <= end && (!isMerged || newest[row.relay] == row.revision)
      }
      for row in rows.prefix(Int.random(in: 1...4, using: &random)) {
        reader.last = row.revision
        if reader.wants(row.relay) { reader.got.append(row) }
      }
      if rows.isEmpty { (reader.last, reader.catchesUpTo) = (max(last, end), nil) }
    }

    /// Whether so much has happened since that no one could expect to find it.
    private func checkFall(_ place: Int64) throws {
      let count = history.count { $0.revision > place }
      guard count > changesMax || skipped > place || bytesMax < .max else {
        throw Failure("a reader at \(place) has fallen behind for \(count) changes")
      }
    }

    // MARK: - Invariants

    func checkBounds() throws {
      guard log.count <= changesMax, log.byteCount <= bytesMax, log.byteCount >= 0 else {
        throw Failure("\(log.count) changes of \(changesMax), \(log.byteCount) bytes of \(bytesMax)")
      }
    }

    /// Checks that nothing comes twice or unwanted, that all comes in order, and that only changes superseded by later ones are missing.
    func check(_ reader: Reader) throws {
      for (one, next) in zip(reader.got, reader.got.dropFirst()) where one.revision >= next.revision {
        throw Failure("\(next.revision) comes after \(one.revision)")
      }
      if let unwanted = reader.got.first(where: { !reader.wants($0.relay) }) { throw Failure("\(unwanted) is not wanted") }
      let got = Dictionary(uniqueKeysWithValues: reader.got.map { ($0.revision, $0.relay) })
      let newest = Dictionary(reader.got.map { ($0.relay, $0.revision) }) { _, later in later }
      for row in history where row.revision > reader.start && reader.wants(row.relay) && got[row.revision] != row.relay {
        let isMerged = reader.merged.contains { row.revision > $0.after && row.revision <= $0.through }
        let isReplaced = newest[row.relay].map { $0 > row.revision } ?? false
        guard isMerged, isReplaced else { throw Failure("\(row) is lost") }
      }
    }
  }

  @Test func nothingIsLostOrComesTwiceHoweverReadersRead() throws {
    let given = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap(UInt64.init)
    var (falls, merged, tooSlow) = (0, 0, 0)
    for seed in given.map({ $0...$0 }) ?? 1...60 {
      do {
        var world = World(seed: seed)
        for _ in 0..<3 { world.join() }
        for _ in 0..<200 {
          world.commit(world.chance(5) ? world.changesMax * 2 : Int.random(in: 0...4, using: &world.random))
          try world.checkBounds()
          if world.chance(3) { world.join() }
          for index in world.readers.indices where world.chance(60) {
            for _ in 0..<Int.random(in: 0...8, using: &world.random) { _ = try world.read(index) }
            try world.checkBounds()
          }
        }
        for index in world.readers.indices { while try world.read(index) {} }
        for reader in world.readers { try world.check(reader) }
        falls += world.log.falls
        merged += world.readers.count { !$0.merged.isEmpty }
        tooSlow += world.tooSlow
      } catch {
        Issue.record("\(error); repeat with BATON_SEED=\(seed)")
        return
      }
    }
    #expect(
      given != nil || (falls > 1_000 && merged > 200 && tooSlow > 200), "too little happened: \(falls), \(merged), \(tooSlow)")
  }
}
