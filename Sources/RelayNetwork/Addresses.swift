public import Channels

/// A relay address in normal form.
public struct RelayAddress: Hashable, Sendable {
  public let text: String
  /// The text by which people recognise the relay.
  public let displayHost: String
  /// The host alone, which maps relays to operators.
  public let host: String
  /// A text that is equal for two addresses of one relay, however they are written.
  public let comparisonKey: String

  /// - Parameters:
  ///   - host: the host, or `nil` if it is `displayHost`.
  ///   - comparisonKey: the key, or `nil` if the normal form itself tells relays apart.
  public init(text: String, displayHost: String, host: String? = nil, comparisonKey: String? = nil) {
    self.text = text
    self.displayHost = displayHost
    self.host = host ?? displayHost
    self.comparisonKey = comparisonKey ?? text
  }
}

/// The address of a message or file server: its identity and its location.
public struct ServerAddress: Hashable, Sendable {
  public let transport: ServerProtocol
  /// SHA-256 of the server's certificate authority, 43 characters of base64url.
  public let fingerprint: String
  /// Host names and addresses under which the one server can be reached, never empty.
  public let hosts: [String]
  /// `nil` for the protocol's own port.
  public let port: Int?
  /// The password that servers require which are not open to everyone. It is never part of `text`.
  public let password: String?
  /// The normal form, without the password.
  public let text: String

  public init(
    transport: ServerProtocol, fingerprint: String, hosts: [String], port: Int?, password: String?, text: String
  ) {
    self.transport = transport
    self.fingerprint = fingerprint
    self.hosts = hosts
    self.port = port
    self.password = password
    self.text = text
  }

  /// The text by which people recognise the server.
  public var displayHost: String { hosts.first ?? "" }
}

/// An address in a log line or a failed test shows no password.
extension ServerAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { text }
  public var debugDescription: String { text }
  public var customMirror: Mirror { Mirror(self, children: ["text": text]) }
}

/// The reason why a text is not an address.
public struct InvalidAddress: Error, Hashable, Sendable {
  /// The text that was entered, with any password made unreadable.
  public let address: String
  public let reason: String
  /// The place of the error, in characters from the start, or `nil` if the whole is wrong.
  public let position: Int?

  public init(address: String, reason: String, position: Int? = nil) {
    self.address = address
    self.reason = reason
    self.position = position
  }
}
