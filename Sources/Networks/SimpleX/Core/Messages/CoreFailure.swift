internal import Dialing

/// The reason why a command has no answer, or not a positive one. The main distinction is whether the core may have carried it out.
public enum CoreFailure: Error, Hashable, Sendable {
  /// The core refused it, or tried and failed.
  case refused(CoreError)
  /// The core carried out the command, and its answer has an unexpected form.
  case unreadable(tag: String, CoreShapeError)
  /// The core never got the command.
  case notSent(Reason)
  /// The command was sent and no answer came. The core may or may not have carried it out, or may still do so.
  case unknown(Reason)

  /// The reason why a command was not sent or not answered.
  public enum Reason: Hashable, Sendable {
    /// Too many commands wait already.
    case tooMany
    /// There is no connection, or it broke, as described.
    case noConnection(String)
    /// There was no answer within this time.
    case timeout(Duration)
    /// The caller cancelled the command.
    case withdrawn
    /// The client ended.
    case ended
  }
}

extension CoreFailure: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .refused(let error): error.sentence
    case .unreadable(let tag, let fault): "the core's answer \(tag) is unreadable: \(fault)"
    case .notSent(let reason): "the command was not sent: \(reason)"
    case .unknown(let reason): "it is not known whether the core carried the command out: \(reason)"
    }
  }
}

extension CoreFailure.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooMany: "too many commands wait for the core"
    case .noConnection(let words): words
    case .timeout(let limit): "no answer within \(limit.briefly)"
    case .withdrawn: "it was cancelled"
    case .ended: "Baton ends"
    }
  }
}
