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

  /// Among reliable relays the own relay leads; among the others each own relay counts as an operator like the rest.
  @Test func ownRelayLeadsOnce() {
    let candidates = [candidate(1, nil), candidate(2, nil, .untested), candidate(3, 1, .untested)]
    var ownWasSecond = 0
    for seed in 0..<200 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed).map(\.rawValue)
      #expect(order.count == 3 && order[0] == 1, "seed \(seed)")
      if order[1] == 2 { ownWasSecond += 1 }
    }
    // By chance: 5 standard deviations are 35.
    #expect((65...135).contains(ownWasSecond), "\(ownWasSecond) of 200")
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

  /// However few channels they carry, whoever runs them, and even if one of them is an own relay.
  @Test func knownBadRelaysComeLastAndThoseThatAreDownBehindTheOthers() {
    let candidates = [
      candidate(1, nil, .failing), candidate(2, 3, .degraded), candidate(3, 1), candidate(4, 1), candidate(5, 1, .untested),
    ]
    for seed in 0..<200 as Range<UInt64> {
      let order = SelectionPolicy.order(candidates, seed: seed) { $0.rawValue > 2 ? 1_000 : 0 }
      #expect(order.suffix(2) == [RelayID(rawValue: 2), RelayID(rawValue: 1)], "seed \(seed)")
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

  /// Any pool of relays: some disabled, some deleted, some of disabled operators, of every reliability.
  private struct Pool {
    let candidates: [SelectionPolicy.Candidate]
    let eligible: Set<RelayID>

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var candidates: [SelectionPolicy.Candidate] = []
      var eligible: Set<RelayID> = []
      let enabled = (1...4).map { _ in Bool.random(using: &random) }
      for id in 1...Int64.random(in: 1...14, using: &random) {
        let owner = Int64.random(in: 0...4, using: &random)
        let isEnabled = Int.random(in: 0..<4, using: &random) > 0
        let isDeleted = Int.random(in: 0..<5, using: &random) == 0
        let isOperatorEnabled = owner == 0 || enabled[Int(owner) - 1]
        candidates.append(
          .init(
            relay: RelayID(rawValue: id), relayOperator: owner == 0 ? nil : OperatorID(rawValue: owner),
            reliability: SelectionPolicy.Reliability.allCases.randomElement(using: &random) ?? .good, isEnabled: isEnabled,
            isDeleted: isDeleted, isOperatorEnabled: isOperatorEnabled))
        if isEnabled, !isDeleted, isOperatorEnabled { eligible.insert(RelayID(rawValue: id)) }
      }
      self.candidates = candidates
      self.eligible = eligible
    }
  }

  @Test func noDisabledOrDeletedRelayIsEverChosenAndEveryOtherIs() {
    for seed in 0..<5_000 as Range<UInt64> {
      let pool = Pool(seed: seed)
      let order = SelectionPolicy.order(pool.candidates, seed: seed &* 31)
      #expect(Set(order) == pool.eligible && order.count == pool.eligible.count, "seed \(seed)")
    }
  }

  @Test func ownRelayIsFirstAmongEquallyReliableOnes() {
    for seed in 0..<5_000 as Range<UInt64> {
      let pool = Pool(seed: seed)
      let known = Dictionary(uniqueKeysWithValues: pool.candidates.map { ($0.relay, $0) })
      guard let first = SelectionPolicy.order(pool.candidates, seed: seed &* 17).first.flatMap({ known[$0] }) else { continue }
      let equals = pool.candidates.filter { $0.isEligible && $0.reliability == first.reliability }
      if equals.contains(where: { $0.relayOperator == nil }) { #expect(first.relayOperator == nil, "seed \(seed)") }
    }
  }

  /// However many are chosen, no operator has two more places than another that still has a relay to give.
  @Test func operatorsAreSpreadAsEvenlyAsPossible() {
    for seed in 0..<5_000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let candidates = (1...Int64.random(in: 2...15, using: &random)).map {
        candidate($0, Int64.random(in: 1...4, using: &random))
      }
      let owner = Dictionary(uniqueKeysWithValues: candidates.map { ($0.relay, $0.relayOperator) })
      let order = SelectionPolicy.order(candidates, seed: seed &* 13)
      for count in 1...order.count {
        let used = Dictionary(grouping: order.prefix(count)) { owner[$0] }.mapValues(\.count)
        let left = Set(order.dropFirst(count).map { owner[$0] })
        let most = used.values.max() ?? 0
        for operatorWithMore in left { #expect((used[operatorWithMore] ?? 0) >= most - 1, "seed \(seed), \(count) chosen") }
      }
    }
  }

  /// Three places, one of them for an own relay: two own relays share the first. For the others the relays are equal, whoever runs them,
  /// except that no operator gets both.
  @Test func everyEligibleRelayIsChosenWithTheRightFrequency() {
    let candidates =
      [candidate(1, nil), candidate(2, nil), candidate(3, 1), candidate(4, 2), candidate(5, 2), candidate(6, 3)]
      + [SelectionPolicy.Candidate(relay: RelayID(rawValue: 7), relayOperator: nil, reliability: .good, isEnabled: false)]
    var counts: [Int64: Double] = [:]
    let draws = 12_000
    for seed in 0..<UInt64(draws) {
      for relay in SelectionPolicy.order(candidates, seed: seed).prefix(3) { counts[relay.rawValue, default: 0] += 1 }
    }
    // After one own relay five are left for the second place: 1/5 each. For the third it is 1/4, or 1/3 after relay 4 or 5.
    let alone = 1 / 5.0 + 2 / 5.0 * 1 / 4 + 2 / 5.0 * 1 / 3
    let shared = 1 / 5.0 + 3 / 5.0 * 1 / 4
    let own = 1 / 2.0 + 1 / 2.0 * alone
    let expected: [Int64: Double] = [1: own, 2: own, 3: alone, 4: shared, 5: shared, 6: alone]
    for (relay, share) in expected {
      let deviation = 5 * (share * (1 - share) / Double(draws)).squareRoot()
      #expect(abs((counts[relay] ?? 0) / Double(draws) - share) < deviation, "relay \(relay)")
    }
    #expect(counts[7] == nil)
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

  @Test func channelThatReadersFindNowhereIsOnNoRelay() {
    func isOnNoRelay(_ statuses: [RelayStatus], wanted: Int = 3, isDeletionRequested: Bool = false) -> Bool {
      var counts = PhaseCounts(wanted: wanted, isDeletionRequested: isDeletionRequested)
      for status in statuses { counts.add(status, hasWork: false) }
      return counts.isOnNoRelay
    }
    // Whether they were lost or never there.
    #expect(isOnNoRelay([.inactive, .inactive]) && isOnNoRelay([.failed]) && isOnNoRelay([.inactive, .failed, .removed]))
    #expect(!isOnNoRelay([.inactive, .active]) && !isOnNoRelay([.failed, .invited]))
    #expect(!isOnNoRelay([.removed], isDeletionRequested: true) && !isOnNoRelay([], wanted: 0))
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
    // Others run it: no relay is wanted, and Baton drives none.
    #expect(phase([], wanted: 0) == .followed)
    #expect(phase([], wanted: 0, isDeletionRequested: true) == .deleted)
  }
}

struct DisplayNameTests {
  @Test(arguments: [
    "News", "  City News  ", "9 o clock", "Überblick", "新聞", "$ market", "a b-c_d (e)", "St. Louis News", "L'Équipe",
    "L’Équipe",
    "#dev", "(x)", "-dash", "AT&T / \"News\"; ~more~", "می\u{200C}خواهم", "ක්\u{200D}ෂ", "അവന്\u{200D}", "☀\u{FE0F} Weather",
    "1\u{FE0F}\u{20E3}", "👩\u{200D}🚀", "🏳\u{FE0F}\u{200D}🌈", "👩🏽\u{200D}🚀",
    "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} England",
    "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}", "Cymru 🏴\u{E0067}\u{E0062}\u{E0077}\u{E006C}\u{E0073}\u{E007F}🏴",
  ])
  func goodNamesAreTaken(_ name: String) throws {
    #expect(try DisplayName.validated(name).isEmpty == false)
  }

  @Test(arguments: [
    "", "   ", "a\u{0}b", "a\nb", "a\u{202E}b", String(repeating: "x", count: 51),
    // Nothing of these is seen.
    "\u{200B}", "\u{3164}", "\u{2800}", "\u{FEFF}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{E0041}", " \u{3000}\u{AD} ",
    // And these differ from "ab" in nothing that is.
    "a\u{200B}b", "ab\u{3164}", "a\u{AD}b", "a\u{2060}b", "a\u{34F}b", "a\u{200C}b", "a\u{200D}b", "a\u{FE0F}b", "ab\u{E0061}",
    "a\u{180B}b", "ab\u{200D}", "\u{200D}ab", "a\u{FE0F}\u{200D}b", "a\u{200F}b",
    // A flag that no one draws, one without its end, and one with more behind it.
    "🏴\u{E0075}\u{E0073}\u{E0074}\u{E0078}\u{E007F}", "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}",
    "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}\u{E007F}",
  ])
  func badNamesAreRefusedWithAReason(_ name: String) {
    #expect { try DisplayName.validated(name) } throws: { error in
      (error as? DisplayName.Invalid)?.reason.isEmpty == false
    }
  }

  /// What strangers call their channels is shown as far as it can be.
  @Test func strangersNamesBecomeNames() {
    func close(_ name: String) -> String? { DisplayName.closest(to: name) }
    #expect(close("News") == "News" && close("  City \t News ") == "City News")
    #expect(close("-> #nostr / dev @ example.com <-") == "-> #nostr / dev @ example.com <-")
    #expect(close("a\u{202E}b\nc\u{0}d") == "ab c d" && close("\u{FEFF}\u{301}N\u{AD}ews\u{3164}") == "News")
    #expect(close("👩\u{200D}\u{200D}🚀") == "👩\u{200D}🚀")
    #expect(
      close("🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}\u{E0067} x")
        == "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} x" && close("🏴\u{E0067}\u{E0062}x") == "🏴x")
    #expect(close(String(repeating: "x", count: 48) + "👩\u{200D}🚀") == String(repeating: "x", count: 48) + "👩")
    #expect(close(String(repeating: "x", count: 60_000)) == String(repeating: "x", count: 50))
    #expect(close(String(repeating: "x", count: 49) + " y") == String(repeating: "x", count: 49))
    #expect(close("") == nil && close("\u{3164}\u{301}") == nil && close("\u{202E}\u{0}") == nil)
  }

  @Test func fiftyCharactersAreTakenWhateverTheirBytes() throws {
    #expect(try DisplayName.validated(String(repeating: "é", count: 50)).count == 50)
    #expect(try DisplayName.validated(String(repeating: "👩", count: 50)).count == 50)
    // Five code points each, although they look like one.
    #expect(throws: DisplayName.Invalid.self) { try DisplayName.validated(String(repeating: "👩‍👩‍👧", count: 11)) }
    #expect(try DisplayName.validated("  City \t  News ") == "City News")
    #expect(try DisplayName.validated("\u{FEFF}City\u{A0}News\r\n") == "City News")
  }
}

struct HumanTextTests {
  @Test func textsOfOtherSystemsAreTextsOfOurs() {
    #expect(HumanText.text("\u{FEFF}one\r\ntwo\r\n") == "one\ntwo\n")
    // The shell took away the line feed.
    #expect(HumanText.text("City News\r") == "City News")
    for text in ["", " one ", "a\rb", "one\n\ntwo", "a\u{FEFF}"] {
      #expect(HumanText.text(text) == text, "\(text.debugDescription)")
    }
  }

  @Test func nothingStaysAroundALine() {
    #expect(HumanText.line("\u{FEFF} \tone two\u{A0}\r\n") == "one two" && HumanText.line(" \n").isEmpty)
    #expect(HumanText.link(" <https://a.example> \n") == "https://a.example" && HumanText.link("“ a ”") == "a")
    #expect(HumanText.link("<a") == "<a" && HumanText.link("<>") == "<>")
  }

  @Test func networkIsThatOfTheLinkInTheText() {
    #expect(NetworkKind.lookingLike(" <https://a.example/r#key>\r\n") == .simplex)
  }
}

struct TroubleTests {
  @Test func detailIsOneBoundedLine() {
    let trouble = Trouble(.rejected, "line\nnext\u{1B}[31m" + String(repeating: "x", count: 5_000))
    #expect(!trouble.detail.contains { $0.isNewline || $0 == "\u{1B}" })
    #expect(trouble.detail.utf8.count <= Trouble.detailBytesMax)
    let whole = String(repeating: "x", count: Trouble.detailBytesMax)
    #expect(Trouble(.rejected, whole).detail == whole, "what fits is not cut")
    #expect(Trouble(.rejected, whole + "x").detail.hasSuffix("x…"))
    // Characters that reverse the writing direction or are invisible.
    #expect(Trouble(.rejected, "a\u{202E}b\u{200B}c\u{2028}d").detail == "a b c d")
  }
}
