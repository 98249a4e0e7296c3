internal import Channels
public import Meters
internal import Storage

extension MetricBook {
  /// The metrics of a daemon, with all possible series of networks and tests.
  public static func ofDaemon() -> MetricBook {
    let networks = NetworkKind.allCases.map(\.rawValue)
    func each(_ words: String...) -> [[String]] { networks.flatMap { network in words.map { [network, $0] } } }
    // Series that exist from the start show their first increase.
    let operations = networks.flatMap { network in
      ChannelRelayMachine.Work.Task.allCases.flatMap { task in
        EngineMeter.outcomes.map { [network, task.rawValue, $0] }
      }
    }
    return MetricBook(known: [
      (.operations, operations), (.transitions, networks.flatMap { network in steps.map { [network] + $0 } }),
      (.creations, each("active", "partial", "failed")), (.timeToActive, each("first", "all")),
      (.operationTime, each("invite", "verify", "withdraw", "announce")),
      (.tests, [["relay", "passed"], ["relay", "failed"], ["server", "passed"], ["server", "failed"]]),
      (.unreadable, [[NetworkKind.nostr.rawValue]]), (.messagesLeftOut, [[]]), (.commitTime, [["ok"], ["failed"]]),
    ])
  }

  /// The statuses to which channels change on relays, each with its expected causes. Other causes are counted from their first occurrence.
  private static var steps: [[String]] {
    let causes = Cause.allCases.filter { cause in
      switch cause {
      case .timeout, .unreachable, .rejected, .rateLimited, .authRequired, .wrongIdentity, .protocol, .expired, .wrongName,
        .untrusted, .misbehaving, .incompatibleVersion, .missing, .left, .onePerAuthor, .storage:
        true
      case .replaced, .cancelled, .tooOld, .tooLarge, .notSupported, .stillServed: false
      }
    }
    return RelayStatus.allCases.flatMap { status in
      switch status {
      case .new, .invited, .accepted, .active, .removed: [[status.rawValue, "none"]]
      case .inactive, .failed: causes.map { [status.rawValue, $0.rawValue] }
      }
    }
  }

  /// Commits, and records the duration.
  func timing(
    _ request: CommitRequest, _ commit: (CommitRequest) async throws(CommitFailure) -> CommitReceipt
  ) async throws(CommitFailure) -> CommitReceipt {
    let begin = ContinuousClock.now
    do throws(CommitFailure) {
      let receipt = try await commit(request)
      note { $0.take((ContinuousClock.now - begin).seconds, in: .commitTime, ["ok"]) }
      return receipt
    } catch {
      note { $0.take((ContinuousClock.now - begin).seconds, in: .commitTime, ["failed"]) }
      throw error
    }
  }
}

extension Duration {
  /// The same in seconds.
  package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
