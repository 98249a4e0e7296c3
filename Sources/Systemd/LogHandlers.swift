internal import CSystemd
internal import Glibc
public import Logging
internal import Synchronization

extension Logger.Level {
  /// The level as a number of syslog and the journal.
  var priority: Int {
    switch self {
    case .critical: 2
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .info: 6
    case .debug, .trace: 7
    }
  }
}

/// The least severe level that is logged. All loggers share it, so that it can change while they are in use.
public final class LogLevelSwitch: Sendable {
  private let level: Mutex<Logger.Level>

  public init(_ level: Logger.Level) { self.level = Mutex(level) }

  public var current: Logger.Level {
    get { level.withLock { $0 } }
    set { level.withLock { $0 = newValue } }
  }

  /// The level as a syslog priority.
  public var priority: Int { current.priority }

  /// The least severe level that syslog counts as `priority`.
  public static func level(priority: Int) -> Logger.Level {
    switch priority {
    case ...2: .critical
    case 3: .error
    case 4: .warning
    case 5: .notice
    case 6: .info
    default: .debug
    }
  }
}

/// Writes to the journal with one field per metadata key (native protocol). Keys must be journal field names.
public struct JournalLogHandler: LogHandler {
  public var logLevel: Logger.Level {
    get { level.current }
    set { level.current = newValue }
  }
  public var metadata: Logger.Metadata = [:]
  private let identifier: String
  private let level: LogLevelSwitch

  public init(identifier: String, level: LogLevelSwitch = LogLevelSwitch(.info)) {
    self.identifier = identifier
    self.level = level
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    var fields = [
      "MESSAGE=\(Self.text("\(event.message)"))", "PRIORITY=\(event.level.priority)", "SYSLOG_IDENTIFIER=\(identifier)",
      "CODE_FILE=\(event.file)", "CODE_LINE=\(event.line)", "CODE_FUNC=\(event.function)",
    ]
    for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { _, latest in latest })
    where Self.isFieldName(key) {
      // A field may occur several times, and the journal is searched for each of its values.
      let values = if case .array(let several) = value { several } else { [value] }
      // The library frames every value with its length, so no text can be mistaken for a field.
      for text in values.map({ "\($0)" }) where !text.isEmpty { fields.append("\(key)=\(Self.text(text))") }
    }
    let copies = fields.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    let vectors = copies.compactMap { copy in copy.map { iovec(iov_base: $0, iov_len: strlen($0)) } }
    sd_journal_sendv(vectors, CInt(vectors.count))
  }

  /// The text without control characters of terminals. The journal keeps lines apart by itself.
  static func text(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0 != "\n" && $0.isObeyedByTerminals ? " " : $0 }))
  }

  static func isFieldName(_ key: String) -> Bool {
    guard (1...64).contains(key.utf8.count), let first = key.utf8.first, first >= 65 && first <= 90 else { return false }
    return key.utf8.allSatisfy { $0 >= 65 && $0 <= 90 || $0 >= 48 && $0 <= 57 || $0 == 95 }
  }
}

/// Writes one line per message to standard error. Under a service manager each line begins with its priority as `<N>`.
public struct StandardErrorLogHandler: LogHandler {
  public var logLevel: Logger.Level {
    get { level.current }
    set { level.current = newValue }
  }
  public var metadata: Logger.Metadata = [:]
  private let prefixesPriority: Bool
  private let level: LogLevelSwitch

  /// - Parameter prefixesPriority: whether a log collector reads the lines and expects priorities.
  public init(prefixesPriority: Bool, level: LogLevelSwitch = LogLevelSwitch(.info)) {
    self.prefixesPriority = prefixesPriority
    self.level = level
  }

  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  public func log(event: LogEvent) {
    let text = Self.line("\(event.message)")
    let line = prefixesPriority ? "<\(event.level.priority)>\(text)\n" : "\(event.level): \(text)\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
  }

  /// One line for any text: text from a peer must not be mistaken for one of our own lines.
  static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isObeyedByTerminals ? " " : $0 }))
  }
}

extension Unicode.Scalar {
  /// Whether it begins a line, moves the cursor, or turns the direction of text around.
  fileprivate var isObeyedByTerminals: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
    }
  }
}
