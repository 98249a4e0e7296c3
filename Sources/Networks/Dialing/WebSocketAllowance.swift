public import NIOCore

/// The amount that a peer may send: as much as it is asked for, and a little more. A flooding peer costs no more than this before it is
/// disconnected.
///
/// Frames are charged by number and by size. Data sent to the peer adds credit for its answers: an id in a request has more bytes than
/// the frame that answers it is charged. Time adds credit for the rest: notices, pongs, events of subscriptions that are still open.
public struct WebSocketAllowance: Sendable {
  /// A frame is charged once more for each time that it has so many bytes.
  private static let bytesPerCharge = 16_384

  private let most: Int
  private let perSecond: Int
  private var left: Int
  private var paidUntil: NIODeadline

  /// - Parameters:
  ///   - most: how many frames may come together without a request.
  ///   - perSecond: how many more are allowed every second, up to `most`.
  public init(most: Int, perSecond: Int, now: NIODeadline = .now()) {
    self.most = most
    self.perSecond = perSecond
    left = most
    paidUntil = now
  }

  /// Adds credit for data sent to the peer, which it may answer.
  public mutating func sent(bytes: Int) {
    // An id in a request has 67 bytes and leads to one event. A published event leads to its answer, and perhaps to the event itself.
    left = min(left + 8 + bytes / 16, most * 8)
  }

  /// Adds credit for an answer that is larger than the request for it shows.
  /// - Parameters:
  ///   - frames: the number of frames that were asked for.
  ///   - bytes: their size, all together, at most.
  public mutating func expects(frames: Int, bytes: Int) {
    left = min(left + frames + bytes / Self.bytesPerCharge, most * 8)
  }

  /// Charges for data from the peer.
  /// - Returns: false if it was too much.
  public mutating func came(bytes: Int, now: NIODeadline = .now()) -> Bool {
    let seconds = (now - paidUntil).nanoseconds / 1_000_000_000
    if seconds > 0 {
      paidUntil = paidUntil + .seconds(seconds)
      if left < most { left = min(most, left + Int(min(seconds, 86_400)) * perSecond) }
    }
    left -= 1 + bytes / Self.bytesPerCharge
    return left >= 0
  }
}
