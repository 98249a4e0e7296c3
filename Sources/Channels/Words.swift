/// The relay protocol that a relay speaks and a channel lives on.
public enum NetworkKind: String, Sendable, CaseIterable {
  case nostr, simplex

  /// Whether channels are in a program of one machine (a chat core), so that no daemon on another can act for them.
  public var isInCore: Bool { self == .simplex }

  /// The network that the form of `address` suggests: addresses of SimpleX relays are links with a key after a `#`.
  public static func lookingLike(_ address: String) -> NetworkKind {
    let text = HumanText.link(address).lowercased()
    return text.hasPrefix("simplex:") || text.hasPrefix("https://") && text.contains("#") ? .simplex : .nostr
  }
}

/// The kind of a server: SMP servers carry messages, XFTP servers store files.
public enum ServerProtocol: String, Sendable, CaseIterable {
  case smp, xftp
}

/// The kind of a channel: a channel lives on many relays, a group on exactly one.
public enum ChannelKind: String, Sendable, CaseIterable {
  case channel, group
}

/// The rights that a group reserves to its members. The interface and NIP-29 use the same words.
public enum GroupAccess: String, Sendable, CaseIterable {
  /// No one joins without being let in.
  case closed
  /// Only members write.
  case restricted
}

/// The key that signs a channel: its own, derived from its identity's, or the identity's key, which all of the identity's channels share.
public enum ChannelKey: String, Sendable, CaseIterable {
  case own, identity
}

/// The status of one channel relay, the pairing of one channel with one relay.
public enum RelayStatus: String, Sendable, CaseIterable {
  case new, invited, accepted, active, inactive, failed, removed

  /// Whether the relay is on its way to `active`.
  public var isUnderWay: Bool {
    switch self {
    case .new, .invited, .accepted: true
    case .active, .inactive, .failed, .removed: false
    }
  }
}

/// The reason why a channel relay or a delivery changed or did not change. The words are stable: scripts rely on them.
public enum Cause: String, Sendable, CaseIterable {
  /// No answer within the time allowed.
  case timeout
  /// No connection: name, network or handshake failed.
  case unreachable
  /// The relay refused, for good.
  case rejected
  /// The relay asks to come back later.
  case rateLimited
  /// The relay demands authentication, which did not succeed.
  case authRequired
  /// The relay serves something signed by someone else, or an object other than the one asked for.
  case wrongIdentity
  /// The relay does not speak the protocol.
  case `protocol`
  /// The peer's certificate, or one above it, is not valid at this time.
  case expired
  /// The peer's certificate is for other hosts than the requested one.
  case wrongName
  /// The peer's certificate does not come from an authority that this machine trusts.
  case untrusted
  /// The peer speaks the protocol, but behaves in a way that no well-meaning peer does.
  case misbehaving
  /// Both sides speak the protocol, but share no version of it.
  case incompatibleVersion
  /// The relay answers, but does not have the channel, or the post.
  case missing
  /// The relay left the channel by itself. For a delivery: the channel left the relay.
  case left
  /// Another relay replaced this one.
  case replaced
  /// The relay keeps the profile of one channel per author, and has another channel's.
  case onePerAuthor
  /// The relay, or Baton, could not store.
  case storage
  /// An operator cancelled the request.
  case cancelled
  /// The relay does not accept posts as old as this one.
  case tooOld
  /// The relay does not accept posts as large as this one.
  case tooLarge
  /// The network or the relay cannot do it.
  case notSupported
  /// The relay accepted the deletion of a post, but still serves it.
  case stillServed

  /// Whether the cause means that there was no connection, or that nothing answered. The next connection may remedy that.
  public var isOfConnection: Bool {
    switch self {
    case .timeout, .unreachable, .expired, .wrongName, .untrusted, .incompatibleVersion: true
    case .rejected, .rateLimited, .authRequired, .wrongIdentity, .protocol, .misbehaving, .missing, .left, .replaced,
      .onePerAuthor, .storage, .cancelled, .tooOld, .tooLarge, .notSupported, .stillServed:
      false
    }
  }

  /// Whether the cause may go away by itself, so that it makes sense to ask the relay again without a request.
  public var mayPass: Bool {
    switch self {
    case .timeout, .unreachable, .rateLimited, .storage, .expired, .wrongName, .untrusted, .misbehaving, .incompatibleVersion:
      true
    case .rejected, .authRequired, .wrongIdentity, .protocol, .missing, .left, .replaced, .onePerAuthor, .cancelled, .tooOld,
      .tooLarge, .notSupported, .stillServed:
      false
    }
  }
}

/// The state of a channel as a whole. It is always derived from the channel's relays, never stored.
public enum ChannelPhase: String, Sendable, CaseIterable {
  case creating, partial, active, degraded, failed, deleting, deleted
  /// Others run the channel, and it is only read.
  case followed
}

/// A description of a failure, for the operator who must act: a stable cause and the peer's own words.
public struct Trouble: Hashable, Sendable {
  public let cause: Cause
  /// One line of text. It may come from a relay, so it is limited to `Trouble.detailBytesMax` and contains no control characters.
  public let detail: String

  /// Upper bound of `detail`, in UTF-8 bytes.
  public static let detailBytesMax = 500

  /// - Parameters:
  ///   - cause: the stable word.
  ///   - detail: any text. Control characters become spaces, and text that is too long is cut.
  public init(_ cause: Cause, _ detail: String) {
    self.cause = cause
    self.detail = Self.cleaned(detail)
  }

  private static func cleaned(_ text: String) -> String {
    let isTooLong = text.utf8.count > detailBytesMax
    var scalars = String.UnicodeScalarView()
    var bytes = 0
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: scalars.append(" ")
      default: scalars.append(scalar)
      }
      bytes += UTF8.width(scalar)
      if isTooLong, bytes >= detailBytesMax - 8 {
        scalars.append("…")
        break
      }
    }
    return String(scalars)
  }
}
