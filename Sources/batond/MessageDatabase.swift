internal import ControlServer
internal import Coordinator
internal import Logging
internal import RelayNetwork
internal import Storage
internal import Store

/// The database of messages, if messages are read. If it cannot be opened, the daemon runs without messages.
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

  /// The parts for the coordinator, or `nil` if messages are not read.
  /// - Parameters:
  ///   - channels: the channels that are read.
  ///   - posts: Baton's own posts.
  ///   - decisions: the storage of people's decisions.
  func parts(
    channels: any KnownChannelStorage, posts: any PostChangeReading, decisions: any DecisionStorage
  ) -> MessageParts? {
    store.map {
      MessageParts(
        storage: MessageKeeperStore($0), channels: channels, posts: posts, decisions: decisions, window: window,
        limits: limits)
    }
  }

  /// The messages that the control plane reads, on these threads, or `nil` if messages are not read.
  func reading(on threads: any BlockingWork) -> (any MessageReading)? {
    store.map { MessageReadingStore($0, on: threads) }
  }

  /// Makes the lists of channels show data about their messages.
  func show(in main: Store) { if let store { main.read(store) } }

  /// Closes both.
  func close(with main: Store) {
    // The main store only reads this database. It is closed first, because the last one to close a database cleans it up, which a reader
    // cannot.
    main.close()
    close()
  }

  func close() { store?.close() }
}
