import Channels
import Filters
import Storage
import Store
import StrictJSON
import TestSupport
import Testing

/// The history of all channels, a part at a time.
struct TransitionSeekTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static func line(_ revision: Int64, _ channel: Int64, _ relay: Int64, _ cause: Cause?) -> TransitionRow {
    TransitionRow(
      revision: revision, channel: ChannelID(rawValue: channel), relay: RelayID(rawValue: relay),
      transition: .init(
        from: .active, to: cause == nil ? .active : .failed, cause: cause, detail: "", attempt: 1,
        at: Timestamp(milliseconds: revision)))
  }

  /// All parts together are what a filter of all lines finds, however small the parts are and however far the lines lie apart.
  @Test(arguments: [1, 3, 100])
  func allPartsTogetherAreWhatIsWanted(_ limit: Int) async throws {
    let store = try Store(directory: folder.path + "/state")
    let far = TransitionPart.revisionsMax
    let lines = [
      Self.line(1, 1, 1, nil), Self.line(2, 2, 1, .timeout), Self.line(far + 5, 1, 2, .rejected),
      Self.line(3 * far, 2, 2, nil), Self.line(3 * far + 1, 1, 1, .timeout), Self.line(3 * far + 2, 3, 3, .unreachable),
    ]
    for line in lines { try await store.commit([.appendTransition(line)]) }
    var (one, relay, cause, none) = (TransitionSeek(), TransitionSeek(), TransitionSeek(), TransitionSeek())
    one.channels = [ChannelID(rawValue: 1)]
    relay.relays = [RelayID(rawValue: 1), RelayID(rawValue: 3)]
    (cause.causes, cause.channels) = (["timeout", "rejected"], [ChannelID(rawValue: 1), ChannelID(rawValue: 2)])
    none.relays = []
    let wanted: [(TransitionSeek, (TransitionRow) -> Bool)] = [
      (TransitionSeek(), { _ in true }), (one, { $0.channel.rawValue == 1 }), (relay, { $0.relay.rawValue != 2 }),
      (cause, { $0.transition.cause == .timeout || $0.transition.cause == .rejected }), (none, { _ in false }),
    ]
    for (seek, isWanted) in wanted {
      var (found, next): ([TransitionRow], Int64?) = ([], 3 * far + 3)
      while let before = next {
        let part = try store.transitions(matching: seek, before: before, limit: limit)
        #expect(part.rows.count <= limit && part.next ?? 0 < before)
        found += part.rows
        next = part.next
      }
      #expect(found == lines.reversed().filter(isWanted), "\(seek)")
    }
    #expect(try store.transitions(matching: TransitionSeek(), before: 1, limit: limit) == TransitionPart([], next: nil))
    store.close()
  }

  @Test func emptyHistoryHasAnEnd() throws {
    let store = try Store(directory: folder.path + "/state")
    #expect(try store.transitions(matching: TransitionSeek(), before: 1_000_000, limit: 5) == TransitionPart([], next: nil))
    store.close()
  }

  /// Only conditions that must hold narrow what is looked at.
  @Test func conditionsThatMustHoldNarrow() throws {
    func seek(_ filter: JSONValue) throws -> TransitionSeek { TransitionSeek(try Filter(filter)) }
    var all = TransitionSeek()
    (all.channels, all.relays) = ([ChannelID(rawValue: 7)], [RelayID(rawValue: 1), RelayID(rawValue: 2)])
    (all.causes, all.statuses) = (["timeout"], ["failed"])
    let filter: JSONValue = [
      "channelId": .number(7), "relayId": ["$in": [1, 2]], "cause": "timeout", "to": "failed",
      "$and": [["time": ["$gte": "2026-01-31"]], ["time": ["$gt": "2026-02"]]],
    ]
    #expect(try seek(filter) == all)
    #expect(try Filter(filter).least(at: "time") == "2026-02")
    // Both must hold, and nothing does.
    #expect(try seek(["$and": [["relayId": 1], ["relayId": 2]]]).relays == [])
    #expect(try seek(["$and": [["relayId": .number(1)], ["relayId": 1]]]).relays == [RelayID(rawValue: 1)])
    for filter in [
      ["$or": [["relayId": 1], ["channelId": 2]]], ["$nor": [["relayId": 1]]], ["relayId": ["$ne": 1]], ["cause": .null],
      ["cause": ["$in": ["timeout", .null]]], ["time": ["$lt": "2026"]], ["channelId": ["$gte": 4]],
    ] as [JSONValue] {
      #expect(try seek(filter) == TransitionSeek(), "\(filter)")
    }
  }
}
