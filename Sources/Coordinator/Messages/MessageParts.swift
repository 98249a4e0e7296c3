public import RelayNetwork
public import Storage

/// The parts that the coordinator needs to read messages.
public struct MessageParts: Sendable {
  let storage: any MessageStorage
  let channels: any KnownChannelStorage
  let posts: any PostChangeReading
  let decisions: any DecisionStorage
  let window: MessageWindow
  let limits: MessageLimits

  /// - Parameters:
  ///   - storage: the store of messages.
  ///   - channels: the channels that are read.
  ///   - posts: baton's posts, which are messages too.
  ///   - decisions: the store of people's decisions, which outlive messages.
  ///   - window: how much of the history is read.
  ///   - limits: the limits of stored messages.
  public init(
    storage: any MessageStorage, channels: any KnownChannelStorage, posts: any PostChangeReading,
    decisions: any DecisionStorage, window: MessageWindow = MessageWindow(), limits: MessageLimits = MessageLimits()
  ) {
    self.storage = storage
    self.channels = channels
    self.posts = posts
    self.decisions = decisions
    self.window = window
    self.limits = limits
  }
}
