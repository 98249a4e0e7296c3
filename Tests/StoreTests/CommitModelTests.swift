import Channels
import Storage
import TestSupport
import Testing

@testable import Store

/// Requests by chance, compared with a model that knows nothing of databases.
struct CommitModelTests {
  /// What is stored.
  private struct Model {
    var channels: [Int64: ChannelRow] = [:]
    var revisions: [Int64] = []
    var newest: Int64 { revisions.last ?? 0 }

    enum Fate { case written, conflict, refused }

    mutating func apply(_ part: CommitPart, base: Int64) -> Fate {
      if let expected = part.expected, channels[expected.channel.rawValue]?.revision != expected.revision { return .conflict }
      var next = self
      for mutation in part.mutations {
        switch mutation.settled(base: base, postBase: 0) {
        case .appendChange(let row): next.revisions.append(row.revision)
        case .touchChannel(let row): next.channels[row.id.rawValue] = row
        case .insertChannel(let row):
          let isTaken = channels.values.contains { $0.idempotencyKey != nil && $0.idempotencyKey == row.idempotencyKey }
          if isTaken || channels[row.id.rawValue] != nil { return .refused }
          next.channels[row.id.rawValue] = row
        default: return .refused
        }
      }
      self = next
      return .written
    }

    /// What the store is to answer; the words of refusals are left out.
    mutating func apply(_ request: CommitRequest) -> String {
      let base = newest
      let fates = request.parts.map { apply($0, base: base) }
      if fates == [.refused] { return "refused" }
      return CommitModelTests.words(base, newest, fates)
    }
  }

  private static func words(_ base: Int64, _ revision: Int64, _ fates: [Model.Fate]) -> String {
    "\(base)…\(revision) \(fates)"
  }

  private static func words(_ result: Result<CommitReceipt, CommitFailure>, parts: Int) -> String {
    switch result {
    case .failure(.refused): return "refused"
    case .failure(let failure): return "\(failure)"
    case .success(let receipt):
      let fates = (0..<parts).map { place -> Model.Fate in
        switch receipt.rejections[place] {
        case nil: .written
        case .conflict?: .conflict
        case .refused?: .refused
        }
      }
      return words(receipt.base, receipt.revision, fates)
    }
  }

  /// - Parameter place: the last place in the request that is taken.
  private static func part(_ model: Model, _ place: inout Int, _ random: inout SplitMix64) -> CommitPart {
    let id = Int64.random(in: 1...12, using: &random)
    var changes: [StoreMutation] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      place += 1
      changes.append(.appendChange(CommitBench.change(PendingRevision.at(place), ChannelID(rawValue: id))))
    }
    // Some of them come first, and must be undone.
    let end = Int.random(in: 0...changes.count, using: &random)
    func part(_ write: StoreMutation, _ expected: Int64? = nil) -> CommitPart {
      CommitPart(changes[..<end] + [write] + changes[end...], expected: expected.map { .init(ChannelID(rawValue: id), at: $0) })
    }
    guard var row = model.channels[id], Int.random(in: 0..<6, using: &random) > 0 else {
      let key = ["a", "b", "c", nil, nil, nil].randomElement(using: &random) ?? nil
      let row = CommitBench.channel(id, key: key, revision: PendingRevision.at(place))
      // Sometimes it is expected to be there.
      return part(.insertChannel(row), Int.random(in: 0..<8, using: &random) == 0 ? 1 : nil)
    }
    let known = row.revision
    row.revision = PendingRevision.at(place)
    row.wantedRelays = Int.random(in: 0...9, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return part(.touchChannel(row))
    case 1: return part(.touchChannel(row), Int64.random(in: max(0, known - 2)...known + 2, using: &random))
    default: return part(.touchChannel(row), known)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func storeDoesWhatTheModelDoes(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let bench = try await CommitBench()
    var model = Model()
    var rejected = 0
    for round in 0..<40 {
      let requests = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        var place = 0
        return CommitRequest((0..<Int.random(in: 1...5, using: &random)).map { _ in Self.part(model, &place, &random) })
      }
      let results = await bench.together(requests)
      for (request, result) in zip(requests, results) {
        let expected = model.apply(request)
        #expect(Self.words(result, parts: request.parts.count) == expected, "round \(round)")
        if expected.contains("conflict") || expected.contains("refused") { rejected += 1 }
      }
      #expect(try bench.store.counters().revision == model.newest)
    }
    #expect(try bench.store.changes(after: 0, limit: 10_000).map(\.revision) == model.revisions)
    for id in 1...12 as ClosedRange<Int64> {
      #expect(try bench.store.channel(ChannelID(rawValue: id))?.row == model.channels[id])
    }
    #expect(try bench.store.check().problems.isEmpty)
    #expect(rejected > 20 && model.revisions.count > 100, "the trial says something")
  }
}
