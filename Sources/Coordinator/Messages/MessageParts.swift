public import RelayNetwork
public import Storage

/// What the coordinator needs to read what is said in channels.
public struct MessageParts: Sendable {
  let storage: any MessageStorage
  let channels: any KnownChannelStorage
  let posts: any PostChangeReading
  let decisions: any DecisionStorage
  let window: MessageWindow
  let limits: MessageLimits

  /// - Parameters:
  ///   - storage: where messages are kept.
  ///   - channels: the channels that are read.
  ///   - posts: posts of ours, which are messages too.
  ///   - decisions: where people's decisions are kept, which outlive messages.
  ///   - window: how much of what was said before is read.
  ///   - limits: what is kept.
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
