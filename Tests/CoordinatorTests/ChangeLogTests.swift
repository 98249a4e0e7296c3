import Channels
import Foundation
import Storage
import Testing

@testable import Coordinator

/// A change of a relay.
func relayChange(_ revision: Int64, of relay: Int64 = 1) -> Change {
  let row = RelayRow(
    id: RelayID(rawValue: relay), network: .nostr, address: "ws://r\(relay)", name: "r\(relay)", revision: revision)
  return Change(revision: revision, at: Timestamp(milliseconds: revision), object: .catalog(.relay(row), before: nil))
}

extension ChangeHub.Taken {
  /// A short form for comparison.
  var words: String {
    switch self {
    case .change(let entry): "change \(entry.change.revision)"
    case .nothing: "nothing"
    case .missed(let after, let through): "missed \(after) to \(through)"
    case .tooSlow(let after): "too slow after \(after)"
    case .over(let end): "over at \(end)"
    }
  }
}

/// The latest changes, kept once for all readers.
struct ChangeLogTests {
  private func log(changesMax: Int = 10, bytesMax: Int = .max) -> ChangeLog {
    ChangeLog(limits: .init(changesMax: changesMax, bytesMax: bytesMax))
  }

  private func append(_ revisions: ClosedRange<Int64>, of relay: Int64 = 1, to log: inout ChangeLog) {
    for revision in revisions { log.append([relayChange(revision, of: relay)], revision: revision) }
  }

  @Test func readerThatFallsBehindIsToldAndGoesOn() {
    var log = log()
    log.add(1, .all)
    append(1...11, to: &log)
    #expect(log.take(1).words == "missed 0 to 11" && log.falls == 1)
    #expect(log.take(1).words == "nothing")
    // It has caught up, so the next time counts as the first again.
    append(12...40, to: &log)
    #expect(log.take(1).words == "missed 11 to 40" && log.falls == 2)
    append(41...50, to: &log)
    for revision in 41...50 { #expect(log.take(1).words == "change \(revision)") }
    #expect(log.take(1).words == "nothing")
  }

  @Test func readerThatFallsBehindAgainBeforeItIsBackIsTooSlow() {
    var log = log()
    log.add(1, .all)
    append(1...11, to: &log)
    #expect(log.take(1).words == "missed 0 to 11")
    append(12...22, to: &log)
    for _ in 0..<2 { #expect(log.take(1).words == "too slow after 11") }
    log.rejoin(1)
    #expect(log.take(1).words == "nothing")
    append(23...23, to: &log)
    #expect(log.take(1).words == "change 23")
  }

  @Test func bytesAreBoundedToo() throws {
    let size = relayChange(1).roughBytes
    var log = log(changesMax: 1000, bytesMax: 3 * size)
    log.add(1, .all)
    append(1...3, to: &log)
    guard case .change(let entry) = log.take(1) else { throw CancellationError() }
    #expect(entry.change.revision == 1 && log.count == 3 && log.byteCount == 3 * size)
    // Messages count towards the size.
    log.grow(2, by: size)
    #expect(log.count == 2 && log.byteCount == 3 * size)
    append(4...4, to: &log)
    #expect(log.count == 2 && log.byteCount == 3 * size)
    #expect(log.take(1).words == "missed 1 to 4")
    append(5...5, to: &log)
    #expect(log.count == 2 && log.byteCount == 2 * size, "the message went with its change")
    // A message of a forgotten change does not count.
    log.grow(0, by: 1_000_000)
    #expect(log.byteCount == 2 * size)
    append(6...6, to: &log)
    log.grow(5, by: 4 * size)
    #expect(log.count == 0 && log.byteCount == 0, "what does not fit at all is not kept")
    #expect(log.take(1).words == "too slow after 4")
  }

  @Test func nobodyFallsBehindWithoutAReason() {
    var log = log()
    log.add(1, .all)
    append(1...3, to: &log)
    log.skip(to: 3)
    #expect(log.take(1).words == "change 1")
    log.skip(to: 5)
    #expect(log.take(1).words == "missed 1 to 5" && log.take(1).words == "nothing")
  }

  @Test func unwantedChangesPutNoReaderBehind() {
    var log = log()
    log.add(1, ChangeSelection(relays: [RelayID(rawValue: 7)]))
    for start in stride(from: 1, to: 100, by: 10) as StrideTo<Int64> {
      append(start...(start + 9), to: &log)
      let hasNews = log.hasNews(for: 1)
      #expect(!hasNews)
    }
    append(101...101, of: 7, to: &log)
    let hasNews = log.hasNews(for: 1)
    #expect(hasNews)
    #expect(log.take(1).words == "change 101" && log.take(1).words == "nothing")
  }

  @Test func selectionHoldsForWhatWasNotTakenYet() {
    var log = log()
    log.add(1, .all)
    append(1...3, of: 1, to: &log)
    append(4...4, of: 2, to: &log)
    log.select(ChangeSelection(relays: [RelayID(rawValue: 2)]), for: 1)
    #expect(log.take(1).words == "change 4" && log.take(1).words == "nothing")
  }

  @Test func whatEverybodyHasTakenIsForgotten() {
    var log = log(changesMax: 100_000)
    for id in 1...3 { log.add(id, .all) }
    // One reader is behind for good; changes that it can no longer take are not kept.
    log.add(4, .all)
    log.skip(to: 1)
    for id in 1...3 { #expect(log.take(id).words == "missed 0 to 1") }
    for revision in 2...10_000 as ClosedRange<Int64> {
      append(revision...revision, to: &log)
      for id in 1...3 { #expect(log.take(id).words == "change \(revision)") }
    }
    #expect(log.count < 200)
    for id in 1...4 { log.remove(id) }
    #expect(log.count == 0 && log.byteCount == 0)
    append(10_001...10_100, to: &log)
    #expect(log.count == 0 && log.revision == 10_100, "no one follows, so nothing is kept")
  }

  @Test func whatIsLeftIsTakenBeforeTheEnd() {
    var log = log()
    log.add(1, .all)
    log.add(2, .all)
    append(1...2, to: &log)
    log.cancel(2)
    log.finish()
    #expect(log.take(1).words == "change 1" && log.take(1).words == "change 2" && log.take(1).words == "over at 2")
    #expect(log.take(2).words == "over at 0")
  }

  @Test func selectionsWantWhatTheySay() {
    let change = relayChange(1, of: 3)
    #expect(ChangeSelection.all.wants(change))
    #expect(ChangeSelection(kinds: [.relay], relays: [RelayID(rawValue: 3)]).wants(change))
    #expect(!ChangeSelection(kinds: [.channel, .server]).wants(change))
    #expect(!ChangeSelection(relays: [RelayID(rawValue: 4)]).wants(change))
    #expect(!ChangeSelection(channels: [ChannelID(rawValue: 3)]).wants(change))
  }
}
