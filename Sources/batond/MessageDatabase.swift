internal import ControlServer
internal import Coordinator
internal import Logging
internal import RelayNetwork
internal import Storage
internal import Store

/// The database of messages, if messages are read. Messages are no reason not to run: without it the daemon does everything else.
struct MessageDatabase: Sendable {
  private let store: MessageStore?
  private let window: MessageWindow
  private let limits: MessageLimits

  /// Opens the database, which blocks.
  init(_ settings: Settings, logger: Logger) {
    (window, limits) = (settings.messageWindow, settings.messageLimits)
    guard settings.followsMessages else {
      store = nil
      return
    }
    do {
      let store = try MessageStore(directory: settings.stateDirectory)
      if let sentence = store.setAside { logger.event(.messagesSetAside, .warning, "\(sentence)") }
      self.store = store
    } catch {
      store = nil
      let words =
        "messages are not read, because their database cannot be opened: \(error). Channels and posts are not affected. Remove "
        + "the reason and restart batond, or set messages.follow to false"
      logger.event(.messagesNotKept, .error, "\(words)")
    }
  }

  /// What the coordinator needs; `nil` if no messages are read.
  /// - Parameters:
  ///   - channels: the channels that are read.
  ///   - posts: Baton's own posts.
  ///   - decisions: where people's decisions are kept.
  func parts(
    channels: any KnownChannelStorage, posts: any PostChangeReading, decisions: any DecisionStorage
  ) -> MessageParts? {
    store.map {
      MessageParts(
        storage: MessageKeeperStore($0), channels: channels, posts: posts, decisions: decisions, window: window,
        limits: limits)
    }
  }

  /// What the control plane reads, on these threads; `nil` if no messages are read.
  func reading(on threads: any BlockingWork) -> (any MessageReading)? {
    store.map { MessageReadingStore($0, on: threads) }
  }

  /// Lets the lists of channels show what is known of their messages.
  func show(in main: Store) { if let store { main.read(store) } }

  /// Closes both.
  func close(with main: Store) {
    // Whoever closes a database last tidies it up, and those who only read it cannot.
    main.close()
    close()
  }

  func close() { store?.close() }
}
