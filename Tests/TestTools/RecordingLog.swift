public import Logging
internal import Synchronization

/// Keeps what is logged, with its fields.
public final class RecordingLog: Sendable {
  /// One entry.
  public struct Entry: Sendable {
    public let level: Logger.Level
    public let message: String
    public let fields: [String: String]
  }
  private let state = Mutex<[Entry]>([])

  public init() {}

  /// All entries so far.
  public var entries: [Entry] { state.withLock { $0 } }

  /// A logger that writes here.
  public var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(log: self) }
    logger.logLevel = .trace
    return logger
  }

  private struct Handler: LogHandler {
    let log: RecordingLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let fields = metadata.merging(event.metadata ?? [:]) { _, new in new }.mapValues { "\($0)" }
      let entry = Entry(level: event.level, message: "\(event.message)", fields: fields)
      log.state.withLock { $0.append(entry) }
    }
  }
}
