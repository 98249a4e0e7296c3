public import Channels

/// A call of a client that another daemon is to answer, because what it is about is that one's.
public struct ForwardedCall: Hashable, Sendable {
  /// The full name of the method.
  public var method: String
  /// The parameters, a JSON object, sealed: it may hold a password.
  public var parameters: [UInt8]
  /// Whether the client takes more than one reply. It gets the last one all the same, when nothing more follows.
  public var hasMore: Bool
  /// The user who called, on the machine of the daemon that was called. That daemon has checked that they may.
  public var user: UInt32

  /// - Parameter parameters: sealed.
  public init(method: String, parameters: [UInt8], hasMore: Bool, user: UInt32) {
    self.method = method
    self.parameters = parameters
    self.hasMore = hasMore
    self.user = user
  }
}

/// It is not known whether something was written for other daemons, such as a call that is left for one.
public struct CallInDoubt: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// What has become of calls.
public struct CallNews: Hashable, Sendable {
  /// Whether there are calls to take.
  public var hasCalls = false
  /// The replies to calls that were sent: messages as Varlink has them, sealed.
  public var replies: [Int64: [UInt8]] = [:]
  /// Calls that were sent and that a daemon took which is gone. No one knows whether it has done what was asked.
  public var lost: Set<Int64> = []
  /// Calls that were sent and are not there any more.
  public var missing: Set<Int64> = []
  /// Calls that this daemon has taken and that are not among those that it knows of, because the answer of the store was lost. Nothing was
  /// done for them.
  public var forgotten: Set<Int64> = []
  /// Calls that were taken and for whose answer no one waits any more.
  public var abandoned: Set<Int64> = []

  public init() {}
}

/// Where daemons that share a store leave calls for each other. A call is taken once: if the daemon that took it goes before it has
/// answered, it is not made again. All methods throw `StoreError`, and those that write `CallInDoubt`.
public protocol CallExchange: Sendable {
  /// Leaves a call for the daemon that has a slot.
  /// - Returns: its number.
  /// - Throws: `CallInDoubt` if it is not known whether it was left, and someone may take it.
  func send(_ call: ForwardedCall, to slot: Int) async throws -> Int64
  /// What is new. It is asked many times a second, and changes nothing.
  /// - Parameters:
  ///   - slots: those of this daemon.
  ///   - sent: calls that this daemon has sent, and waits for.
  ///   - taken: calls that it knows to have taken.
  func look(_ slots: SlotSet, sent: Set<Int64>, taken: Set<Int64>) async throws -> CallNews
  /// Takes calls, the oldest first; no one else gets them.
  func take(_ slots: SlotSet, limit: Int) async throws -> [(number: Int64, call: ForwardedCall)]
  /// Answers a call that was taken.
  /// - Parameter reply: `nil` if it is another daemon's by now, and nothing was done.
  func answer(_ number: Int64, _ reply: [UInt8]?) async throws
  /// Forgets a call that was sent.
  /// - Parameter ifFree: only if no one has taken it.
  /// - Returns: whether it was there.
  func forget(_ number: Int64, ifFree: Bool) async throws -> Bool
  /// The name of the daemon to which a slot is pinned, for its chat core; `nil` if it is not.
  func holder(of slot: Int) async throws -> String?
}
