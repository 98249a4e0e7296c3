internal import Channels
internal import Logging
internal import RelayNetwork
internal import Storage

/// The task that reads what is said in channels: it tells networks what to follow, stores what they read, and mirrors posts.
final class MessageKeeper {
  private let parts: MessageParts
  private let directory: RelayDirectory
  private let clock: any CoordinatorClock
  private let logger: Logger
  private let hub: MessageHub
  private let postHub: PostHub
  /// Puts an input of its own into the inbox.
  private let put: @Sendable (MessageInput) -> Void

  init(
    _ parts: MessageParts, directory: RelayDirectory, clock: any CoordinatorClock, logger: Logger, hub: MessageHub,
    postHub: PostHub, put: @escaping @Sendable (MessageInput) -> Void
  ) async throws {
    self.parts = parts
    self.directory = directory
    self.clock = clock
    self.logger = logger
    self.hub = hub
    self.postHub = postHub
    self.put = put
  }

  /// Begins to follow all channels.
  func begin() async {}

  /// Handles what arrived.
  func process(_ inputs: [MessageInput]) async { for input in inputs { input.refuse(.busy) } }

  /// Follows nothing any more.
  func end() async {}
}
