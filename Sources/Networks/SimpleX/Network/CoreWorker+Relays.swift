internal import Channels
internal import RelayNetwork

// Relays in the core's own list, and their tests.
extension CoreWorker {
  /// The numbers of relays in the core, by address; those that it does not have, or has given up, are put into its list. Nothing else in
  /// the list changes.
  func relayIDs(of addresses: [String]) async -> Result<[String: CoreRelay.ID], CoreFailure> {
    guard let user else { return .failure(.notSent(.noConnection("there is no connection"))) }
    for attempt in 0...1 {
      var groups: [CoreServerGroup]
      if let serverGroups, attempt == 0 {
        groups = serverGroups
      } else {
        switch await ask(.servers(user)) {
        case .success(.servers(_, let list)): groups = list
        case .success(let reply): return .failure(Self.unexpected(reply))
        case .failure(let failure): return .failure(failure)
        }
        serverGroups = groups
      }
      var found: [String: CoreRelay.ID] = [:]
      var missing: [CoreRelayAddress] = []
      for address in addresses {
        guard let known = try? CoreRelayAddress(address) else { continue }
        if let id = Self.relay(known, in: groups)?.id { found[address] = id } else { missing.append(known) }
      }
      if missing.isEmpty || attempt == 1 { return .success(found) }
      put(missing, into: &groups)
      switch await ask(.setServers(user, groups)) {
      case .success: serverGroups = nil
      case .failure(let failure): return .failure(failure)
      }
    }
    return .success([:])
  }

  private static func relay(_ address: CoreRelayAddress, in groups: [CoreServerGroup]) -> CoreRelay? {
    let key = (try? SimpleXLink(address.text))?.comparisonKey
    return groups.flatMap(\.relays).first { $0.comparisonKey == key && !$0.isDeleted && $0.id != nil }
  }

  /// New relays go into the group without an operator; one that was given up comes back.
  private func put(_ addresses: [CoreRelayAddress], into groups: inout [CoreServerGroup]) {
    let own = groups.lastIndex { $0.operator == nil } ?? groups.count
    if own == groups.count { groups.append(CoreServerGroup()) }
    for address in addresses {
      let name = (try? SimpleXLink(address.text))?.displayHost ?? "relay"
      groups[own].relays.removeAll { $0.comparisonKey == (try? SimpleXLink(address.text))?.comparisonKey && $0.isDeleted }
      groups[own].relays.append(CoreRelay(address: address, name: name))
    }
  }

  /// Whether a channel may be made on the relay: it passed a test of late, or passes one now.
  /// - Returns: nil when it may; otherwise what to tell of it.
  func isUsable(_ address: CoreRelayAddress) async -> Result<RelayOutcome?, CoreFailure> {
    if let at = passed[address.text], now() >= at, now() - at < limits.testCounts { return .success(nil) }
    let key = (try? SimpleXLink(address.text))?.comparisonKey ?? ""
    if let known = failing[key], now() >= known.at, now() - known.at < limits.failedTestCounts {
      return .success(.troubled(known.trouble, retryAfter: nil))
    }
    guard let user else { return .failure(.notSent(.noConnection("there is no connection"))) }
    switch await ask(.testRelay(user, address)) {
    case .success(.relayTest(let test)):
      note(test, of: address)
      guard let failure = test.failure else { return .success(nil) }
      let trouble = Self.trouble(failure)
      switch Self.outcome(of: failure.error, for: .invite) {
      case .refused: return .success(.refused(trouble))
      default: return .success(.troubled(trouble, retryAfter: nil))
      }
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure): return .failure(failure)
    }
  }

  private static func trouble(_ failure: CoreRelayTest.Failure) -> Trouble {
    let trouble = failure.error.trouble
    // No answer to the test is what a dead relay looks like.
    let cause: Cause = failure.step.known == .waitResponse && trouble.cause == .protocol ? .timeout : trouble.cause
    return Trouble(cause, "the test of the relay failed at \(failure.step): \(trouble.detail)")
  }

  /// Keeps what a test found.
  private func note(_ test: CoreRelayTest, of address: CoreRelayAddress) {
    passed[address.text] = test.failure == nil ? now() : nil
    guard let key = (try? SimpleXLink(address.text))?.comparisonKey else { return }
    failing[key] = test.failure.map { ((failing[key]?.count ?? 0) + 1, Self.trouble($0), now()) }
  }

  /// A test that somebody asked for.
  func run(_ test: CoreRelayTestRequest) async {
    defer { test.finish() }
    let address = test.address
    // Not the relay's fault: this says nothing of it.
    func tellNothing(_ why: String, _ took: Duration) {
      test.tell(ProbeStep(name: "core", duration: took, failure: Trouble(.cancelled, why)))
    }
    guard let user else { return tellNothing(absence.detail, .zero) }
    let begin = now()
    let result = await ask(.testRelay(user, address))
    let took = max(now() - begin, .zero)
    switch result {
    case .success(.relayTest(let found)):
      note(found, of: address)
      if let failure = found.failure {
        let trouble = Self.trouble(failure)
        test.tell(ProbeStep(name: failure.step.text, duration: took, failure: trouble))
        // One that fails may be the network's mood.
        let key = (try? SimpleXLink(address.text))?.comparisonKey ?? ""
        if failing[key]?.count ?? 0 > 1 { tellWatchers(of: address) { .relayDown($0, trouble) } }
      } else {
        let name = found.name.map { String($0.prefix(100)) }
        test.tell(
          ProbeStep(
            name: "verify", duration: took, detail: name.map { "it calls itself \($0)" } ?? "",
            selfDescription: PeerDescription(name: name)))
        tellWatchers(of: address) { .relayUp($0, roundTrip: took) }
      }
    case .success(let reply):
      tellNothing(Self.unexpected(reply).description, took)
    case .failure(let failure): tellNothing(failure.description, took)
    }
  }

  /// The core keeps no connection to a relay that says how it is: a test is what tells.
  private func tellWatchers(of address: CoreRelayAddress, _ what: (RelayID) -> NetworkReport) {
    let key = (try? SimpleXLink(address.text))?.comparisonKey
    for (relay, other) in watched where (try? SimpleXLink(other))?.comparisonKey == key { report(what(relay)) }
  }
}
