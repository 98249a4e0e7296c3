internal import Channels
internal import RelayNetwork
internal import Storage

// Tests of relays and servers in the background.
extension Decider {
  /// Sets the time of the next test of every peer.
  func scheduleTests(at now: Timestamp) {
    for id in catalog.relays.keys { scheduleTest(.relay(id), now) }
    for id in catalog.servers.keys { scheduleTest(.server(id), now) }
  }

  private func scheduleTest(_ peer: Probed, _ now: Timestamp) {
    guard hasTests, !tests.isRunning(peer) else { return }
    guard let schedule = rules.schedule, let condition = testable(peer) else { return alarms.set(.test(peer), at: nil) }
    let salt: UInt64 =
      switch peer {
      case .relay(let id): UInt64(bitPattern: id.rawValue) &* 2
      case .server(let id): UInt64(bitPattern: id.rawValue) &* 2 &+ 1
      }
    alarms.set(.test(peer), at: schedule.next(condition, salt: salt, now: now))
  }

  /// Adjusts the tests of what changed: they may be due sooner, or not at all.
  func reschedule(_ reference: CatalogReference, at now: Timestamp) {
    switch reference {
    case .relay(let id): scheduleTest(.relay(id), now)
    case .server(let id): scheduleTest(.server(id), now)
    case .operator(let id):
      let belongings = catalog.belongings(of: id)
      for id in belongings.relays { scheduleTest(.relay(id), now) }
      for id in belongings.servers { scheduleTest(.server(id), now) }
    }
  }

  /// Gives up a running test; another follows at its time.
  func abandonTest(_ peer: Probed, _ effects: inout Effects, at now: Timestamp) {
    guard tests.ended(peer) else { return }
    effects.tests.append(.cancel(peer))
    alarms.set(.testOverdue(peer), at: nil)
    startTests(&effects, at: now)
  }

  func address(of peer: Probed) -> String? {
    switch peer {
    case .relay(let id): relays[id]?.address
    case .server(let id): catalog.servers[id]?.address
    }
  }

  /// The condition of a peer that must be tested; `nil` for those that are disabled, deleted, or on a network that is not served.
  private func testable(_ peer: Probed) -> PeerCondition? {
    switch peer {
    case .relay(let id):
      guard let row = relays[id], row.isEnabled, !row.isDeleted, catalog.isOperatorEnabled(row.relayOperator),
        directory.networks[row.network] != nil
      else { return nil }
      return row.condition
    case .server(let id):
      guard let row = catalog.servers[id], row.isEnabled, !row.isDeleted, catalog.isOperatorEnabled(row.serverOperator),
        directory.servers != nil
      else { return nil }
      return row.condition
    }
  }

  /// Starts the tests that wait, as many as may run.
  func startTests(_ effects: inout Effects, at now: Timestamp) {
    guard hasTests else { return }
    guard let schedule = rules.schedule else { return tests.forgetWaiting() }
    while let peer = tests.next(atOnceMax: schedule.atOnceMax) {
      guard let condition = testable(peer) else { continue }
      guard let address = address(of: peer) else { continue }
      guard let begin = test(of: peer, condition, schedule, now) else {
        tests.began(peer)
        effects.inputs.append(.tested(peer, address: address, .unreadable, nil))
        continue
      }
      tests.began(peer)
      alarms.set(.testOverdue(peer), at: now + TestSchedule.overdueAfter)
      effects.tests.append(.start(peer, address: address, isFull: begin.isFull, begin.steps))
    }
  }

  private func test(
    of peer: Probed, _ condition: PeerCondition, _ schedule: TestSchedule, _ now: Timestamp
  ) -> (isFull: Bool, steps: @Sendable () -> AsyncStream<ProbeStep>)? {
    switch peer {
    case .relay(let id):
      guard let row = relays[id], let network = directory.networks[row.network],
        let address = try? network.parse(address: row.address)
      else { return nil }
      let last = condition.tested == true ? condition.fullyTestedAt : nil
      let isFull = last.map { $0 > now || now - $0 >= schedule.fullInterval } ?? true
      let identity = directory.mainIdentity(on: row.network)
      return (isFull, { network.test(address: address, identity: identity, depth: isFull ? .full : .light) })
    case .server(let id):
      guard let row = catalog.servers[id], let servers = directory.servers,
        let address = try? servers.parse(server: row.address)
      else { return nil }
      return (true, { servers.test(address) })
    }
  }

  /// Takes in the result of a test.
  func tested(_ peer: Probed, _ address: String, _ verdict: ProbeVerdict, _ reply: Reply<Void>?, _ batch: Batch) {
    if reply == nil {
      // This is the late result of a test that was given up.
      guard tests.ended(peer) else { return }
      batch.effects.tests.append(.ended(peer))
      alarms.set(.testOverdue(peer), at: nil)
    }
    defer {
      startTests(&batch.effects, at: batch.now)
      scheduleTest(peer, batch.now)
    }
    // A test that could not run says nothing about the peer.
    guard self.address(of: peer) == address, verdict.failure?.trouble.cause != .cancelled else { return answer(reply, batch) }
    let reference: CatalogReference
    let before: PeerCondition
    switch peer {
    case .relay(let id):
      guard let row = relays[id], !row.isDeleted else { return answer(reply, batch) }
      (reference, before) = (.relay(id), row.condition)
      catalog.relays[id]?.condition = judged(before, verdict, batch.now, .relay(id))
      if let description = verdict.description {
        catalog.relays[id]?.profile = RelayRow.Description(
          name: description.name, text: description.text, software: description.software)
        // What channels have learned about it stays, because tests do not check that.
        let learned = row.capabilities.filter { $0 == PeerDescription.onePerAuthor }
        catalog.relays[id]?.capabilities =
          (description.capabilities.filter { $0 != PeerDescription.onePerAuthor }.prefix(PeerDescription.capabilitiesMax - 1)
          + learned)
          .sorted()
        let isNews = row.profile != relays[id]?.profile || row.capabilities != relays[id]?.capabilities
        if isNews { batch.save(reference) }
      }
    case .server(let id):
      guard let row = catalog.servers[id], !row.isDeleted else { return answer(reply, batch) }
      (reference, before) = (.server(id), row.condition)
      catalog.servers[id]?.condition = judged(before, verdict, batch.now, .server(id))
    }
    noteHealth(reference, before, batch)
    // The result of a test that a person asked for is always published.
    if reply != nil { batch.save(reference) }
    if verdict.failure == nil, let roundTrip = verdict.roundTrip {
      batch.roundTrips.append((peer, roundTrip.wholeMilliseconds))
    }
    answer(reply, batch)
  }

  private func judged(_ before: PeerCondition, _ verdict: ProbeVerdict, _ now: Timestamp, _ peer: Probed) -> PeerCondition {
    var condition = before
    var isConnected = false
    var isWatched = false
    if case .relay(let id) = peer {
      isConnected = watched.isConnected(id)
      isWatched = watched.contains(id)
    }
    if let (step, trouble) = verdict.failure {
      condition.testFailed(trouble.cause, "\(step): \(trouble.detail)", isConnected: isConnected, at: now)
    } else {
      condition.testPassed(isFull: verdict.isFull, roundTrip: verdict.roundTrip, at: now)
    }
    if isWatched, !isConnected, before.health == .down {
      // Channels wait for the connection that is kept; it takes precedence.
      (condition.health, condition.healthSince) = (before.health, before.healthSince)
      if verdict.failure == nil { condition.lastError = before.lastError }
    }
    return condition
  }

  private func answer(_ reply: Reply<Void>?, _ batch: Batch) {
    guard let reply else { return }
    batch.replies.append { error in reply.send(error.map { .failure($0) } ?? .success(())) }
  }
}
