internal import Channels
public import Meters
internal import Storage

extension MetricBook {
  /// The book of a daemon, with the series that there may be of networks and tests.
  public static func ofDaemon() -> MetricBook {
    let networks = NetworkKind.allCases.map(\.rawValue)
    func each(_ words: String...) -> [[String]] { networks.flatMap { network in words.map { [network, $0] } } }
    return MetricBook(known: [
      (.creations, each("active", "partial", "failed")), (.timeToActive, each("first", "all")),
      (.operationTime, each("invite", "verify", "withdraw", "announce")),
      (.tests, [["relay", "passed"], ["relay", "failed"], ["server", "passed"], ["server", "failed"]]),
      (.commitTime, [["ok"], ["failed"]]),
    ])
  }

  /// Commits, and notes how long that took.
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
