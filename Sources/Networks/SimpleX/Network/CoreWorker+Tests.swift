internal import Channels
internal import RelayNetwork

// Tests of relays. The core waits up to 40 seconds for a silent relay, and does nothing else on that connection. So tests have their own
// connections, called lanes, and nothing here waits for them.
extension CoreWorker {
  /// The verdict of a test on inviting a relay.
  enum Verdict: Hashable {
    case passed
    case failed(RelayOutcome)
  }

  /// The operations whose relays passed a test recently. The others are answered, or wait for a test of their relay, which makes the
  /// worker look again.
  func tested(_ operations: [RelayOperation]) -> (passed: [RelayOperation], isWaiting: Bool) {
    var usable: [RelayOperation] = []
    var isWaiting = false
    for operation in operations where isWanted(operation) {
      guard let address = try? CoreRelayAddress(operation.address) else {
        finish(operation, .misbehaved(Trouble(.protocol, "the relay's address is not one of SimpleX")))
        continue
      }
      switch verdict(on: operation, address) {
      case .passed?: usable.append(operation)
      case .failed(let outcome)?: finish(operation, outcome)
      case nil:
        isWaiting = true
        if !isTesting(address), !wantedTests.contains(address) { wantedTests.append(address) }
      }
    }
    startTests()
    return (usable, isWaiting)
  }

  private func verdict(on operation: RelayOperation, _ address: CoreRelayAddress) -> Verdict? {
    guard let waiting = pending[operation.channel]?[operation.relay] else { return nil }
    if let verdict = waiting.verdict { return verdict }
    if let at = passed[address.text], now() >= at, now() - at < limits.testCounts { return .passed }
    if let known = waiting.key.flatMap({ failing[$0] }), now() >= known.at, now() - known.at < limits.failedTestCounts {
      return .failed(.troubled(known.trouble, retryAfter: nil))
    }
    return nil
  }

  /// Has the active user checked before anything else is done.
  func doubtUser() { (user, mustRecognise, isRecognitionHeld) = (nil, version != nil, false) }

  private func isTesting(_ address: CoreRelayAddress) -> Bool { testing.values.contains { $0.address == address } }

  /// Starts waiting tests, one for each free lane.
  func startTests() {
    guard let user else { return }
    startErrand(user)
    tests.removeAll(where: \.isOver)
    for lane in lanes.sorted() where testing[lane] == nil && lane != errandLane {
      guard let address = nextTest() else { return }
      testing[lane] = (address, now())
      around.test(lane, user, address)
    }
  }

  /// The next test. Tests that people or the coordinator requested alternate with tests that channels wait for.
  private func nextTest() -> CoreRelayAddress? {
    isTestsTurn.toggle()
    let asked = tests.first { !isTesting($0.address) }?.address
    if let asked, isTestsTurn || wantedTests.isEmpty { return asked }
    return wantedTests.isEmpty ? nil : wantedTests.removeFirst()
  }

  /// Records that a lane can be used, or no longer.
  func lane(_ lane: Int, isUp: Bool) {
    if isUp {
      lanes.insert(lane)
      return startTests()
    }
    if lanes.subtracting([lane]).isEmpty, !errands.isEmpty { around.nudge(limits.patience) }
    // Events that the core sent over it are lost.
    if lanes.remove(lane) != nil, user != nil {
      resynchronised = (nil, true)
      missedMessages()
    }
  }

  /// Handles the result of a test.
  func tested(_ lane: Int, _ address: CoreRelayAddress, _ result: Result<CoreReply, CoreFailure>) {
    let took = testing.removeValue(forKey: lane).map { max(now() - $0.began, .zero) } ?? .zero
    wantedTests.removeAll { $0 == address }
    switch result {
    case .success(.relayTest(let test)):
      note(test, of: address)
      answer(address, test, took)
      decide(address, Self.verdict(test))
    case .success(let reply):
      let failure = Self.unexpected(reply)
      tellNothing(of: address, failure.description, took)
      decide(address, .failed(.troubled(Trouble(.protocol, failure.description), retryAfter: nil)))
    case .failure(.refused(let error)) where error.mayMeanAnotherUser:
      // The result says nothing about the relay. First the active user is checked. Then channels request the test again.
      tellNothing(of: address, error.sentence, took)
      doubtUser()
    case .failure(.refused(let error)):
      tellNothing(of: address, error.sentence, took)
      decide(address, .failed(Self.outcome(of: error, for: .invite)))
    case .failure(let failure):
      tellNothing(of: address, failure.description, took)
      switch failure {
      // The connection failed: the test is repeated on another one, or when this one is back.
      case .notSent, .unknown(.noConnection): decide(address, nil)
      case .refused, .unreadable, .unknown:
        decide(address, .failed(.troubled(Trouble(.timeout, "the test of the relay: \(failure)"), retryAfter: nil)))
      }
    }
    startTests()
  }

  /// Gives the result to the operations that wait for this test, and schedules a look at their channels.
  /// - Parameter verdict: the verdict, or `nil` if the test must be repeated.
  private func decide(_ address: CoreRelayAddress, _ verdict: Verdict?) {
    guard let key = (try? SimpleXLink(address.text))?.comparisonKey else { return }
    for channel in pending.keys.sorted() {
      for (relay, waiting) in pending[channel] ?? [:] where waiting.operation.task == .invite && waiting.key == key {
        pending[channel]?[relay]?.verdict = verdict
        look(at: channel)
      }
    }
  }

  private static func verdict(_ test: CoreRelayTest) -> Verdict {
    guard let failure = test.failure else { return .passed }
    let trouble = Self.trouble(failure)
    switch outcome(of: failure.error, for: .invite) {
    case .refused: return .failed(.refused(trouble))
    default: return .failed(.troubled(trouble, retryAfter: nil))
    }
  }

  private static func trouble(_ failure: CoreRelayTest.Failure) -> Trouble {
    let trouble = failure.error.trouble
    // A dead relay does not answer the test.
    let cause: Cause = failure.step.known == .waitResponse && trouble.cause == .protocol ? .timeout : trouble.cause
    return Trouble(cause, "the test of the relay failed at \(failure.step): \(trouble.detail)")
  }

  /// How many results of tests are kept. Beyond that, expired ones are dropped, because clients may test any addresses.
  private static let resultsMax = 1_000
  /// How long a series of failed tests counts.
  private static let failuresCount = Duration.seconds(86_400)

  /// Stores the result of a test.
  private func note(_ test: CoreRelayTest, of address: CoreRelayAddress) {
    passed[address.text] = test.failure == nil ? now() : nil
    guard let key = (try? SimpleXLink(address.text))?.comparisonKey else { return }
    failing[key] = test.failure.map { ((failing[key]?.count ?? 0) + 1, Self.trouble($0), now()) }
    if passed.count > Self.resultsMax { passed = passed.filter { isRecent($0.value, limits.testCounts) } }
    if failing.count > Self.resultsMax { failing = failing.filter { isRecent($0.value.at, Self.failuresCount) } }
  }

  private func isRecent(_ time: Timestamp, _ span: Duration) -> Bool {
    let now = now()
    return now >= time && now - time < span
  }

  // MARK: - Requested tests

  private func takeRequests(of address: CoreRelayAddress) -> [CoreRelayTestRequest] {
    defer { tests.removeAll { $0.address == address } }
    return tests.filter { $0.address == address }
  }

  private func answer(_ address: CoreRelayAddress, _ test: CoreRelayTest, _ took: Duration) {
    let requests = takeRequests(of: address)
    let step: ProbeStep
    var news: ((RelayID) -> NetworkReport)?
    if let failure = test.failure {
      let trouble = Self.trouble(failure)
      step = ProbeStep(name: failure.step.text, duration: took, failure: trouble)
      // A single failed test may be a passing fault of the network.
      let key = (try? SimpleXLink(address.text))?.comparisonKey ?? ""
      if failing[key]?.count ?? 0 > 1 { news = { .relayDown($0, trouble) } }
    } else {
      let name = test.name.map { String($0.prefix(100)) }
      step = ProbeStep(
        name: "verify", duration: took, detail: name.map { "it calls itself \($0)" } ?? "",
        selfDescription: PeerDescription(name: name))
      news = { .relayUp($0, roundTrip: took) }
    }
    for request in requests {
      request.tell(step)
      request.finish()
    }
    if let news, !requests.isEmpty { tellWatchers(of: address, news) }
  }

  /// Refuses requested tests for a reason that is not the relay's fault and says nothing about it.
  private func tellNothing(of address: CoreRelayAddress, _ why: String, _ took: Duration) {
    for request in takeRequests(of: address) { request.refuse(why, took) }
  }

  /// Ends the waiting tests, because there is no core for them.
  /// - Returns: whether any test was waiting.
  func refuseTests() -> Bool {
    defer { tests = [] }
    for request in tests { request.refuse(absence.trouble.detail, .zero) }
    return !tests.isEmpty
  }

  /// Reports the health of a relay after a test. The core has no connection to a relay that would show it.
  private func tellWatchers(of address: CoreRelayAddress, _ what: (RelayID) -> NetworkReport) {
    let key = (try? SimpleXLink(address.text))?.comparisonKey
    for (relay, other) in watched where (try? SimpleXLink(other))?.comparisonKey == key { report(what(relay)) }
  }
}
