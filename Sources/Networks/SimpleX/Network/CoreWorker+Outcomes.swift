internal import Channels
internal import RelayNetwork

// Answers operations.
extension CoreWorker {
  /// Ends an operation with its outcome.
  func finish(_ operation: RelayOperation, _ outcome: RelayOutcome) {
    guard pending[operation.channel]?[operation.relay]?.operation.number == operation.number else { return }
    drop(operation.channel, operation.relay)
    report(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome))
  }

  func handOver(_ operation: RelayOperation) {
    guard let known = pending[operation.channel]?[operation.relay], known.operation.number == operation.number,
      !known.isHandedOver
    else { return }
    pending[operation.channel]?[operation.relay]?.isHandedOver = true
    report(.outcome(channel: operation.channel, relay: operation.relay, number: operation.number, .handedOver))
  }

  func fail(_ operations: [RelayOperation], _ failure: CoreFailure) {
    for operation in operations {
      if let outcome = Self.outcome(of: failure, for: operation.task) { finish(operation, outcome) }
    }
  }

  /// The outcome of an operation for a command that was not carried out, or failed with an error.
  /// - Returns: `nil` if the operation waits for the connection, after which it will be seen whether the command was carried out.
  static func outcome(of failure: CoreFailure, for task: RelayOperation.Task) -> RelayOutcome? {
    switch failure {
    case .refused(let error): outcome(of: error, for: task)
    // Only a passing cause is retried for days. A withdrawal gets one, so that one unreadable answer leaves nothing of Baton in the core.
    case .unreadable: .troubled(Trouble(task == .withdraw ? .timeout : .protocol, failure.description), retryAfter: nil)
    case .notSent(.tooMany): .troubled(Trouble(.storage, failure.description), retryAfter: nil)
    case .notSent, .unknown: nil
    }
  }

  /// The error in a profile that was stored before Baton knew the core's rules, or `nil`.
  static func trouble(_ document: ChannelDocument) -> Trouble? {
    document.refusal.map { Trouble(.rejected, "the \($0.field.rawValue) must be changed: \($0.reason)") }
  }

  /// The outcome for an error. Only lasting faults of the relay are final. The core's own trouble may pass.
  static func outcome(of error: CoreError, for task: RelayOperation.Task) -> RelayOutcome {
    // The name does not change, and each attempt would leave a queue behind in the core.
    if error.tag == "invalidDisplayName" { return .refused(error.trouble) }
    guard task == .invite else { return .troubled(error.trouble, retryAfter: nil) }
    switch error.kind {
    case .deadLink, .wrongServer, .incompatible: return .refused(error.trouble)
    case .temporary, .command, .noUser, .notStarted, .notAllowed, .item, .store, .other:
      return .troubled(error.trouble, retryAfter: nil)
    }
  }
}
