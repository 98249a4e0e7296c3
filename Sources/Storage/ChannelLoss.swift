public import Channels

/// Channel relays of one relay that are lost for one reason.
public struct ChannelLoss: Hashable, Sendable {
  public let relay: RelayID
  /// The status, `failed` or `inactive`.
  public let status: RelayStatus
  public let cause: Cause?
  public var channels: Int
  /// How many of these channels heal themselves.
  public var healing: Int

  public init(relay: RelayID, status: RelayStatus, cause: Cause?, channels: Int, healing: Int) {
    self.relay = relay
    self.status = status
    self.cause = cause
    self.channels = channels
    self.healing = healing
  }
}
