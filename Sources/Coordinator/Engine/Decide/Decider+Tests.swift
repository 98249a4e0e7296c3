internal import Channels
internal import RelayNetwork
internal import Storage

// Tests of relays and servers in the background.
extension Decider {
  /// Sets the time of the next test of every peer.
  mutating func scheduleTests(at now: Timestamp) {
    for id in catalog.relays.keys { scheduleTest(.relay(id), now) }
    for id in catalog.servers.keys { scheduleTest(.server(id), now) }
  }

  private mutating func scheduleTest(_ peer: Probed, _ now: Timestamp) {
    guard hasTests, !tests.isRunning(peer) else { return }
    guard slots.hasCatalog, let schedule = rules.schedule, let condition = testable(peer) else {
      return alarms.set(.test(peer), at: nil)
    }
    let salt: UInt64 =
      switch peer {
      case .relay(let id): UInt64(bitPattern: id.rawValue) &* 2
      case .server(let id): UInt64(bitPattern: id.rawValue) &* 2 &+ 1
      }
    alarms.set(.test(peer), at: schedule.next(condition, salt: salt, now: now))
  }

  /// Adjusts the tests of changed objects, which may be due sooner, or no longer.
  mutating func reschedule(_ reference: CatalogReference, at now: Timestamp) {
    switch reference {
    case .relay(let id): scheduleTest(.relay(id), now)
    case .server(let id): scheduleTest(.server(id), now)
    case .operator(let id):
      let belongings = catalog.belongings(of: id)
      for id in belongings.relays { scheduleTest(.relay(id), now) }
      for id in belongings.servers { scheduleTest(.server(id), now) }
    }
  }

  /// Gives up a running test. Another follows at its time.
  mutating func abandonTest(_ peer: Probed, at now: Timestamp) {
    guard tests.ended(peer) else { return }
    open.effects.tests.append(.cancel(peer))
    alarms.set(.testOverdue(peer), at: nil)
    startTests(at: now)
  }

  /// Gives up all tests, because another daemon runs them now.
  mutating func endTests() {
    let running = tests.stop()
    for peer in catalog.relays.keys.sorted().map(Probed.relay) + catalog.servers.keys.sorted().map(Probed.server) {
      if running.contains(peer) { open.effects.tests.append(.cancel(peer)) }
      alarms.set(.test(peer), at: nil)
      alarms.set(.testOverdue(peer), at: nil)
    }
  }

  func address(of peer: Probed) -> String? {
    switch peer {
    case .relay(let id): relays[id]?.address
    case .server(let id): catalog.servers[id]?.address
    }
  }

  /// The condition of a peer that must be tested. `nil` if the peer is disabled or deleted, or its network is not served.
  private func testable(_ peer: Probed) -> PeerCondition? {
    switch peer {
    case .relay(let id):
      guard let row = relays[id], catalog.isEnabled(row), directory.networks[row.network] != nil else { return nil }
      return row.condition
    case .server(let id):
      guard let row = catalog.servers[id], catalog.isEnabled(row), directory.servers != nil else { return nil }
      return row.condition
    }
  }

  /// Starts as many of the waiting tests as may run.
  mutating func startTests(at now: Timestamp) {
    guard hasTests, slots.hasCatalog else { return }
    guard let schedule = rules.schedule else { return tests.forgetWaiting() }
    while let peer = tests.next(atOnceMax: schedule.atOnceMax) {
      guard let condition = testable(peer), let address = address(of: peer) else { continue }
      tests.began(peer)
      guard let examination = examination(of: peer, condition, schedule, now) else {
        open.effects.inputs.append(.tested(peer, address: address, .unreadable, nil))
        continue
      }
      alarms.set(.testOverdue(peer), at: now + TestSchedule.overdueAfter)
      open.effects.tests.append(.start(peer, address: address, examination))
    }
  }

  /// The test of a peer. `nil` if its address is invalid.
  private func examination(
    of peer: Probed, _ condition: PeerCondition, _ schedule: TestSchedule, _ now: Timestamp
  ) -> Effects.Examination? {
    switch peer {
    case .relay(let id):
      guard let row = relays[id], let address = try? directory.networks[row.network]?.parse(address: row.address)
      else { return nil }
      let last = condition.tested == true ? condition.fullyTestedAt : nil
      let isFull = last.map { $0 > now || now - $0 >= schedule.fullInterval } ?? true
      return .relay(
        row.network, address, identity: directory.mainIdentity(on: row.network), isFull ? .full : .light)
    case .server(let id):
      return catalog.servers[id].flatMap { try? directory.servers?.parse(server: $0.address) }.map { .server($0) }
    }
  }

  /// Handles the result of a test.
  mutating func tested(_ peer: Probed, _ address: String, _ verdict: ProbeVerdict, _ reply: Reply<Void>?) {
    if reply == nil {
      // This is the late result of a test that was given up.
      guard tests.ended(peer) else { return }
      open.effects.tests.append(.ended(peer))
      alarms.set(.testOverdue(peer), at: nil)
    }
    defer {
      startTests(at: now)
      scheduleTest(peer, now)
    }
    // A test that could not run shows nothing about the peer.
    guard self.address(of: peer) == address, verdict.failure?.trouble.cause != .cancelled else { return answer(reply) }
    let reference: CatalogReference
    let before: PeerCondition
    switch peer {
    case .relay(let id):
      guard let row = relays[id], !row.isDeleted else { return answer(reply) }
      (reference, before) = (.relay(id), row.condition)
      let condition = judged(before, verdict, now, .relay(id))
      catalog.relays[id]?.condition = condition
      if let description = verdict.description {
        catalog.relays[id]?.profile = RelayRow.Description(
          name: description.name, text: description.text, software: description.software)
        // Capabilities found by channels are kept, because tests do not check them.
        let learned = row.capabilities.filter { $0 == PeerDescription.onePerAuthor }
        catalog.relays[id]?.capabilities =
          (description.capabilities.filter { $0 != PeerDescription.onePerAuthor }.prefix(PeerDescription.capabilitiesMax - 1)
          + learned)
          .sorted()
        let isNews = row.profile != relays[id]?.profile || row.capabilities != relays[id]?.capabilities
        if isNews { save(reference) }
      }
    case .server(let id):
      guard let row = catalog.servers[id], !row.isDeleted else { return answer(reply) }
      (reference, before) = (.server(id), row.condition)
      let condition = judged(before, verdict, now, .server(id))
      catalog.servers[id]?.condition = condition
    }
    noteHealth(reference, before)
    // The result of a test that a person asked for is always published.
    if reply != nil { save(reference) }
    if slots.hasCatalog, verdict.failure == nil, let roundTrip = verdict.roundTrip {
      open.roundTrips.append(.init(peer: peer, at: now, milliseconds: roundTrip.wholeMilliseconds))
    }
    answer(reply)
  }

  private mutating func judged(
    _ before: PeerCondition, _ verdict: ProbeVerdict, _ now: Timestamp, _ peer: Probed
  ) -> PeerCondition {
    var condition = before
    var isConnected = false
    var isWatched = false
    if case .relay(let id) = peer {
      isConnected = watched.isConnected(id)
      isWatched = watched.contains(id)
    }
    if let (step, trouble) = verdict.failure {
      troubles[peer] = trouble.cause
      faults[peer] = trouble.cause.isOfConnection ? nil : trouble.cause
      condition.testFailed(trouble.cause, "\(step): \(trouble.detail)", isConnected: isConnected, at: now)
    } else {
      condition.testPassed(isFull: verdict.isFull, roundTrip: verdict.roundTrip, at: now)
    }
    if isWatched, !isConnected, before.health == .down {
      // Channels wait for the watched connection, which takes precedence.
      (condition.health, condition.healthSince) = (before.health, before.healthSince)
      if verdict.failure == nil { condition.lastError = before.lastError }
    }
    return condition
  }

  private mutating func answer(_ reply: Reply<Void>?) {
    if let reply { answer(.nothing(reply), .done) }
  }
}
