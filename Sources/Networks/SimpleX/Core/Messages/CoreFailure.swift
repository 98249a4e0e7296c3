internal import Dialing

/// Why there is no answer to a command, or no good one. Whether the core may have carried it out is the main thing about it.
public enum CoreFailure: Error, Hashable, Sendable {
  /// The core refused it, or tried and failed.
  case refused(CoreError)
  /// The core carried it out, and its answer has another shape than expected.
  case unreadable(tag: String, CoreShapeError)
  /// The core never saw it.
  case notSent(Reason)
  /// It was sent and no answer came. The core may or may not have carried it out, or may do so yet.
  case unknown(Reason)

  /// Why a command was not sent or not answered.
  public enum Reason: Hashable, Sendable {
    /// Too many commands wait already.
    case tooMany
    /// There is no connection, or it broke; in words.
    case noConnection(String)
    /// No answer within this time.
    case timeout(Duration)
    /// The caller took it back.
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
    case .unreadable(let tag, let fault): "the core's answer \(tag) cannot be read: \(fault)"
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
    case .withdrawn: "it was taken back"
    case .ended: "Baton ends"
    }
  }
}
