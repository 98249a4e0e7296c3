public import Channels

/// The depth of a test.
public enum ProbeDepth: Sendable {
  /// Reaches the peer and asks it something. It leaves nothing behind.
  case light
  /// Does everything that channels need, including writing.
  case full
}

/// One step of a test of a relay or server.
public struct ProbeStep: Hashable, Sendable {
  /// Name of the step in the network's words.
  public let name: String
  public let duration: Duration
  /// The failure, or `nil` if the step passed.
  public let failure: Trouble?
  /// The findings, for people.
  public let detail: String
  /// The peer's description of itself, if this step asked for it.
  public let selfDescription: PeerDescription?

  public init(
    name: String, duration: Duration, failure: Trouble? = nil, detail: String = "", selfDescription: PeerDescription? = nil
  ) {
    self.name = name
    self.duration = duration
    self.failure = failure
    self.detail = detail
    self.selfDescription = selfDescription
  }
}

/// A relay's description of itself. It is bounded and cleaned, and never trusted.
public struct PeerDescription: Hashable, Sendable {
  /// The name that the relay gives itself.
  public var name: String?
  public var text: String?
  public var software: String?
  /// Stable words for the relay's abilities and demands, sorted: on nostr `nip42`, `authRequired`, `paymentRequired` and the like.
  public var capabilities: [String]

  /// Upper bound of `capabilities`.
  public static let capabilitiesMax = 100

  /// The capabilities of relays that accept events only of known authors, or of authors who have paid.
  public static let restrictedWrites = "restrictedWrites"
  public static let paymentRequired = "paymentRequired"

  /// A capability found out while channels use a relay, and not by tests: it keeps the profile of one channel per author.
  public static let onePerAuthor = "onePerAuthor"

  /// Whether a relay with these capabilities accepts only events of known authors.
  public static func restrictsAuthors(_ capabilities: [String]) -> Bool {
    capabilities.contains(restrictedWrites) || capabilities.contains(paymentRequired)
  }

  public init(name: String? = nil, text: String? = nil, software: String? = nil, capabilities: [String] = []) {
    self.name = name
    self.text = text
    self.software = software
    self.capabilities = capabilities
  }
}

/// Message and file servers: their addresses, and whether one is alive and has the identity in its address.
public protocol ServerNetwork: Sendable {
  /// - Throws: `InvalidAddress` with the fault and its place.
  func parse(server: String) throws(InvalidAddress) -> ServerAddress

  /// Tests a server step by step without leaving anything on it: resolve, connect, tls, identity, hello, version. The first step that
  /// fails is the last. Ending the iteration ends the test.
  func test(_ address: ServerAddress) -> AsyncStream<ProbeStep>
}

/// Reads relay addresses of one network. Every network that Baton knows has one, served or not.
public protocol RelayAddressing: Sendable {
  var kind: NetworkKind { get }

  /// The normal form of a relay address, so that two spellings of one relay do not count twice.
  /// - Throws: `InvalidAddress` with the fault and its place.
  func parse(address: String) throws(InvalidAddress) -> RelayAddress

  /// Whether readers of a channel there are members of it. If so, Baton joins someone else's channel (`RelayNetwork.join`) instead of
  /// looking at it from outside.
  var readsAsMember: Bool { get }
  /// The link to a channel where it is stored with the channel and needs no connection to the network, or `nil` elsewhere.
  func fixedLink(of content: ChannelContent) -> String?
}

extension RelayAddressing {
  public var readsAsMember: Bool { false }
  public func fixedLink(of content: ChannelContent) -> String? { nil }
}
