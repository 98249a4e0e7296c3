/// Why the core could not send a message to a member (`SndError`).
public enum CoreSendError: Hashable, Sendable {
  /// The member's queue is gone.
  case auth
  /// The member's queue is full. The core tries for seven days.
  case quota
  /// The member's server could not be reached for as long as the core tries: two days.
  case expired
  /// The member's server failed: `host`, `version`, or the core's words.
  case relay(String)
  /// The server through which the core sends failed.
  case proxy(host: String, String)
  /// The member's server failed towards the server through which the core sends.
  case proxyRelay(host: String, String)
  /// The core's words.
  case other(String)
  /// A word unknown to this version of Baton.
  case unknown(String)
}

extension CoreSendError: CoreReadable {
  init(_ reader: CoreReader) throws(CoreShapeError) {
    let word = try reader.string("type")
    switch word {
    case "auth": self = .auth
    case "quota": self = .quota
    case "expired": self = .expired
    case "relay": self = .relay(try Self.server(reader))
    case "proxy": self = .proxy(host: try Self.proxy(reader), try Self.server(reader))
    case "proxyRelay": self = .proxyRelay(host: try Self.proxy(reader), try Self.server(reader))
    case "other": self = .other(CoreText.bounded(try reader.stringIfPresent("sndError") ?? ""))
    default: self = .unknown(CoreText.bounded(word))
    }
  }

  private static func proxy(_ reader: CoreReader) throws(CoreShapeError) -> String {
    CoreText.bounded(try reader.stringIfPresent("proxyServer") ?? "")
  }

  /// The words of a `SrvError`.
  static func server(_ reader: CoreReader) throws(CoreShapeError) -> String {
    let error = try reader.object("srvError")
    let word = try error.string("type")
    return CoreText.bounded(word == "other" ? try error.stringIfPresent("srvError") ?? word : word)
  }
}

extension CoreSendError: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .auth: "the relay's queue is gone"
    case .quota: "the relay's queue is full"
    case .expired: "the relay's server could not be reached for days"
    case .relay(let words): "the relay's server failed: \(Self.explained(words))"
    case .proxy(let host, let words): "the server \(host), through which the core sends, failed: \(Self.explained(words))"
    case .proxyRelay(let host, let words): "the relay's server failed towards \(host): \(Self.explained(words))"
    case .other(let words): "the core could not send: \(words)"
    case .unknown(let word): "the core could not send (\(word))"
    }
  }

  /// The meaning of the words of a `SrvError`, for people.
  static func explained(_ words: String) -> String {
    switch words {
    case "host": "it cannot be found"
    case "version": "it has no version in common with the core"
    default: words
    }
  }
}
