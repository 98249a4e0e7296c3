public import Channels

/// An error as the core tells it (`ChatError`, docs/design/simplex.md#errors). Any error can be read: what Baton does not know keeps
/// its tags.
public struct CoreError: Error, Hashable, Sendable {
  /// What an error means for whoever decides what to do next.
  public enum Kind: Hashable, Sendable {
    /// The network or a server: the same may work later.
    case temporary
    /// A server does not know what a link or an address leads to; it is gone for good. A server that asks for a password says
    /// the same without it.
    case deadLink
    /// A server is not the one that its address names.
    case wrongServer
    /// Both sides have no common version.
    case incompatible
    /// The core did not take the command: it cannot read it, or refuses it as it is.
    case command
    /// The core has no user yet.
    case noUser
    /// The core does not receive: it was stopped, or not started.
    case notStarted
    /// The core's user may not do this in the group.
    case notAllowed
    /// The core's database; the tag says what, such as `groupNotFound`.
    case store(String)
    /// Everything else; the tags say what.
    case other
  }

  /// A member that the error is about.
  public struct Place: Hashable, Sendable {
    /// Where the member is.
    public let group: CoreGroup.ID
    /// The member.
    public let member: CoreMember.ID
    /// How the connection to the member was when the error came; nil when it was not said.
    public let connection: CoreConnectionStatus?
  }

  /// The tags, outermost first, such as `errorAgent`, `BROKER`, `TIMEOUT`; at least one.
  public let tags: [String]
  /// What the tags mean.
  public let kind: Kind
  /// The server that the error is about, by host; nil when there is none.
  public let host: String?
  /// The core's own words, if there are any: one line, bounded, without passwords.
  public let message: String?
  /// The member whose connection the error is about; nil when it is about none.
  public let place: Place?

  /// The last tag.
  public var tag: String { tags.last ?? "" }

  /// The error in the words that all networks share, with a sentence for people.
  public var trouble: Trouble { Trouble(cause, sentence) }

  private var cause: Cause {
    switch kind {
    case .temporary:
      if tag == "TIMEOUT" || tag == "timeoutError" { .timeout } else { tag == "dBBusyError" ? .storage : .unreachable }
    case .deadLink: .missing
    case .wrongServer: .wrongIdentity
    case .incompatible: .incompatibleVersion
    case .command, .notAllowed: .rejected
    case .noUser, .notStarted: .unreachable
    case .store: .storage
    case .other: .protocol
    }
  }
}
