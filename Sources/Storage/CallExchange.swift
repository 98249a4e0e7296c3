public import Channels

/// A client's call that another daemon has to answer, because that daemon owns the object.
public struct ForwardedCall: Hashable, Sendable {
  /// The full name of the method.
  public var method: String
  /// The parameters, a JSON object, sealed: it may hold a password.
  public var parameters: [UInt8]
  /// Whether the client accepts more than one reply. It still gets the last one, when nothing more follows.
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

/// It is not known whether something was written for other daemons, such as a call left for one of them.
public struct CallInDoubt: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// News about calls.
public struct CallNews: Hashable, Sendable {
  /// Whether there are calls to take.
  public var hasCalls = false
  /// The replies to calls that were sent: messages as Varlink has them, sealed.
  public var replies: [Int64: [UInt8]] = [:]
  /// Calls that this daemon sent, and that were taken by a daemon which is gone. No one knows whether it carried them out.
  public var lost: Set<Int64> = []
  /// Calls that were sent, and no longer exist.
  public var missing: Set<Int64> = []
  /// Calls that this daemon has taken without knowing it, because the store's answer was lost. Nothing was done for them.
  public var forgotten: Set<Int64> = []
  /// Calls that were taken, and whose answer no one waits for any more.
  public var abandoned: Set<Int64> = []

  public init() {}
}

/// The place where daemons that share a store leave calls for each other. A call is taken once. If the daemon that took it goes before it
/// has answered, the call is not made again. All methods throw `StoreError`, and the methods that write also throw `CallInDoubt`.
public protocol CallExchange: Sendable {
  /// Leaves a call for the daemon that has a slot.
  /// - Returns: its number.
  /// - Throws: `CallInDoubt` if it is not known whether it was left. Someone may still take it.
  func send(_ call: ForwardedCall, to slot: Int) async throws -> Int64
  /// The news. It is called many times a second, and changes nothing.
  /// - Parameters:
  ///   - slots: this daemon's slots.
  ///   - sent: calls that this daemon has sent, and waits for.
  ///   - taken: calls that it knows it has taken.
  func look(_ slots: SlotSet, sent: Set<Int64>, taken: Set<Int64>) async throws -> CallNews
  /// Takes calls, the oldest first. No other daemon gets them.
  func take(_ slots: SlotSet, limit: Int) async throws -> [(number: Int64, call: ForwardedCall)]
  /// Answers a call that was taken.
  /// - Parameter reply: `nil` if the call belongs to another daemon by now, and nothing was done.
  func answer(_ number: Int64, _ reply: [UInt8]?) async throws
  /// Forgets a call that was sent.
  /// - Parameter ifFree: only if no one has taken it.
  /// - Returns: whether it existed.
  func forget(_ number: Int64, ifFree: Bool) async throws -> Bool
  /// The name of the daemon to which a slot is pinned, for its chat core, or `nil` if it is not pinned.
  func holder(of slot: Int) async throws -> String?
}
