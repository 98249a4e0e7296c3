import Channels
import Testing

struct SelectionTests {
  private func candidate(_ id: Int64, _ owner: Int64?, _ reliability: SelectionPolicy.Reliability = .good)
    -> SelectionPolicy.Candidate
  {
    .init(
      relay: RelayID(rawValue: id), relayOperator: owner.map(OperatorID.init(rawValue:)), reliability: reliability)
  }

  @Test func ownRelayLeads() {
    let candidates = [candidate(1, 1), candidate(2, 2), candidate(3, nil), candidate(4, nil)]
    for seed in 0..<500 as Range<UInt64> {
      let first = SelectionPolicy.order(candidates, seed: seed).first
      #expect(first == RelayID(rawValue: 3) || first == RelayID(rawValue: 4))
    }
  }

  @Test func operatorsTakeTurns() {
    let candidates = (1...9).map { candidate($0, ($0 - 1) % 3 + 1) }
    for seed in 0..<500 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed)
      for round in 0..<3 {
        let owners = order[(round * 3)..<(round * 3 + 3)].map { ($0.rawValue - 1) % 3 }
        #expect(Set(owners).count == 3, "seed \(seed)")
      }
    }
  }

  @Test func failingRelaysComeLast() {
    let candidates = [candidate(1, nil, .failing), candidate(2, 1, .untested), candidate(3, 1), candidate(4, 2)]
    for seed in 0..<200 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed)
      #expect(order.suffix(2) == [RelayID(rawValue: 2), RelayID(rawValue: 1)])
    }
  }

  @Test func everyRelayIsChosenAsOftenAsTheOthers() {
    let candidates = (1...6).map { candidate($0, ($0 - 1) % 2 + 1) }
    var counts: [RelayID: Int] = [:]
    for seed in 0..<6_000 as Range<UInt64> {
      for relay in SelectionPolicy.order(candidates, seed: seed).prefix(2) { counts[relay, default: 0] += 1 }
    }
    // 12,000 places over 6 relays; 5 standard deviations are about 190.
    for id in 1...6 as ClosedRange<Int64> {
      #expect(abs((counts[RelayID(rawValue: id)] ?? 0) - 2_000) < 190)
    }
  }

  @Test func orderDependsOnNothingButContentAndSeed() {
    let candidates = (1...8).map { candidate($0, $0 % 3 == 0 ? nil : $0 % 3) }
    #expect(SelectionPolicy.order(candidates, seed: 5) == SelectionPolicy.order(candidates.reversed(), seed: 5))
    #expect(Set(SelectionPolicy.order(candidates, seed: 5)) == Set(candidates.map(\.relay)))
  }
}

struct PhaseTests {
  private func phase(
    _ statuses: [RelayStatus], wanted: Int = 3, isDeletionRequested: Bool = false, hasFarewells: Bool = false
  ) -> ChannelPhase {
    var counts = PhaseCounts(wanted: wanted, isDeletionRequested: isDeletionRequested)
    for status in statuses { counts.add(status, hasWork: hasFarewells) }
    return counts.phase
  }

  @Test func phaseFollowsFromTheRelays() {
    #expect(phase([.new, .new, .new]) == .creating)
    #expect(phase([.accepted, .invited, .failed]) == .creating)
    #expect(phase([.active, .invited, .failed]) == .partial)
    #expect(phase([.active, .active, .active]) == .active)
    #expect(phase([.active, .active, .failed]) == .degraded)
    #expect(phase([.active, .active, .inactive]) == .degraded)
    #expect(phase([.inactive, .inactive, .inactive]) == .degraded)
    #expect(phase([.failed, .failed, .failed]) == .failed)
    #expect(phase([.removed, .active], wanted: 1) == .active)
    #expect(phase([.removed], isDeletionRequested: true, hasFarewells: true) == .deleting)
    #expect(phase([.removed], isDeletionRequested: true) == .deleted)
  }
}

struct DisplayNameTests {
  @Test(arguments: ["News", "  City News  ", "9 o clock", "Überblick", "新聞", "$ market", "a b-c_d (e)"])
  func goodNamesAreTaken(_ name: String) throws {
    #expect(try DisplayName.validated(name).isEmpty == false)
  }

  @Test(arguments: [
    "", "   ", "-dash", "(x)", "a.b", "a,b", "a;b", "a/b", "a\\b", "a#b", "a@b", "a'b", "a\"b", "a`b", "a~b", "a\u{0}b",
    "a\nb", "a\u{202E}b", String(repeating: "x", count: 51),
  ])
  func badNamesAreRefusedWithAReason(_ name: String) {
    #expect { try DisplayName.validated(name) } throws: { error in
      (error as? DisplayName.Invalid)?.reason.isEmpty == false
    }
  }

  @Test func fiftyCharactersAreTakenWhateverTheirBytes() throws {
    #expect(try DisplayName.validated(String(repeating: "é", count: 50)).count == 50)
    #expect(try DisplayName.validated(String(repeating: "👩‍👩‍👧", count: 50)).count == 50)
  }
}

struct TroubleTests {
  @Test func detailIsOneBoundedLine() {
    let trouble = Trouble(.rejected, "line\nnext\u{1B}[31m" + String(repeating: "x", count: 5_000))
    #expect(!trouble.detail.contains { $0.isNewline || $0 == "\u{1B}" })
    #expect(trouble.detail.utf8.count <= Trouble.detailBytesMax)
  }
}
