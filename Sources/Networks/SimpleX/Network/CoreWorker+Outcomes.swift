internal import Channels
internal import RelayNetwork

// What operations are answered.
extension CoreWorker {
  /// An operation is over.
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

  /// What it means for an operation that the core cannot do something, or could not and said why.
  /// - Returns: nil: it waits for the connection, and it is seen then whether it was carried out.
  static func outcome(of failure: CoreFailure, for task: RelayOperation.Task) -> RelayOutcome? {
    switch failure {
    case .refused(let error): outcome(of: error, for: task)
    case .unreadable: .troubled(Trouble(.protocol, failure.description), retryAfter: nil)
    case .notSent(.tooMany): .troubled(Trouble(.storage, failure.description), retryAfter: nil)
    case .notSent, .unknown: nil
    }
  }

  /// What is wrong with a profile that was stored before Baton knew what the core takes; nil: nothing.
  static func trouble(_ document: ChannelDocument) -> Trouble? {
    document.refusal.map { Trouble(.rejected, "the \($0.field.rawValue) must be changed: \($0.reason)") }
  }

  /// Only what lies with the relay, and will stay so, is final. The core's own trouble is nobody's fault and passes.
  static func outcome(of error: CoreError, for task: RelayOperation.Task) -> RelayOutcome {
    // The name stays what it is, and each attempt would leave a queue behind in the core.
    if error.tag == "invalidDisplayName" { return .refused(error.trouble) }
    guard task == .invite else { return .troubled(error.trouble, retryAfter: nil) }
    switch error.kind {
    case .deadLink, .wrongServer, .incompatible: return .refused(error.trouble)
    case .temporary, .command, .noUser, .notStarted, .notAllowed, .store, .other:
      return .troubled(error.trouble, retryAfter: nil)
    }
  }
}
