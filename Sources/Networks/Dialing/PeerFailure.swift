public import Channels

/// The reason why a peer could not be reached, or is not the expected one.
public struct PeerFailure: Error, Hashable, Sendable {
  public let trouble: Trouble

  public init(_ cause: Cause, _ detail: String) {
    trouble = Trouble(cause, detail)
  }

  public init(_ trouble: Trouble) {
    self.trouble = trouble
  }

  /// The failure when no one waits for the outcome any more.
  static let cancelled = PeerFailure(.cancelled, "no one waits for the outcome")
}
