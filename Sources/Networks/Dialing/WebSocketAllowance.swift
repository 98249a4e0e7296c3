public import NIOCore

/// How much a peer may send: what it is asked for, and a little more. A peer that floods costs no more than this before it is left.
///
/// Frames cost by number and by size. What was sent to the peer pays for its answers: a name that is asked for takes more bytes in a
/// request than the allowance wants for the frame that it brings. Time pays for the rest: notices, pongs, events that nobody closed yet.
public struct WebSocketAllowance: Sendable {
  private let most: Int
  private let perSecond: Int
  private var left: Int
  private var paidUntil: NIODeadline

  /// - Parameters:
  ///   - most: frames that may come at once without having been asked for.
  ///   - perSecond: how many more are allowed every second, up to that.
  public init(most: Int, perSecond: Int, now: NIODeadline = .now()) {
    self.most = most
    self.perSecond = perSecond
    left = most
    paidUntil = now
  }

  /// Something was sent to the peer that it may answer.
  public mutating func sent(bytes: Int) {
    // An id in a request takes 67 bytes and brings one event; an event that is published brings its answer, and perhaps itself.
    left = min(left + 8 + bytes / 16, most * 8)
  }

  /// Something came.
  /// - Returns: false when it was too much.
  public mutating func came(bytes: Int, now: NIODeadline = .now()) -> Bool {
    let seconds = (now - paidUntil).nanoseconds / 1_000_000_000
    if seconds > 0 {
      paidUntil = paidUntil + .seconds(seconds)
      if left < most { left = min(most, left + Int(min(seconds, 86_400)) * perSecond) }
    }
    left -= 1 + bytes / 16_384
    return left >= 0
  }
}
