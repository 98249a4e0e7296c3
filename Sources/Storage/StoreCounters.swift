/// The numbers from which ids and revisions continue: the highest that was given out of each kind.
public struct StoreCounters: Hashable, Sendable {
  public var revision: Int64
  public var channel: Int64
  public var `operator`: Int64
  public var server: Int64
  public var relay: Int64
  public var identity: Int64

  public init(revision: Int64, channel: Int64, operator: Int64, server: Int64, relay: Int64, identity: Int64) {
    self.revision = revision
    self.channel = channel
    self.operator = `operator`
    self.server = server
    self.relay = relay
    self.identity = identity
  }
}
