public import Channels

/// An error of the core (`ChatError`, docs/design/simplex.md#errors). Any error can be read: an unknown error keeps its tags.
public struct CoreError: Error, Hashable, Sendable {
  /// The meaning of an error for the decision on what to do next.
  public enum Kind: Hashable, Sendable {
    /// The network or a server failed. The same command may work later.
    case temporary
    /// A server does not have the object of a link or an address, which is gone for good. A server that requires a password gives the same
    /// error without it.
    case deadLink
    /// A server is not the one in its address.
    case wrongServer
    /// The two sides share no version.
    case incompatible
    /// The core refused the command, because it cannot read it or it is not valid.
    case command
    /// The core has no user yet.
    case noUser
    /// The core does not receive messages: it was stopped, or not started.
    case notStarted
    /// The core's user may not do this in the group.
    case notAllowed
    /// A message cannot be sent, edited, deleted or found.
    case item(ItemFault)
    /// The core's database reported the error, which the tag names, such as `groupNotFound`.
    case store(String)
    /// Any other error, which the tags name.
    case other
  }

  /// A member that the error is about.
  public struct Place: Hashable, Sendable {
    /// The group of the member.
    public let group: CoreGroup.ID
    /// The member.
    public let member: CoreMember.ID
    /// The state of the connection to the member when the error came, or `nil` if it was not given.
    public let connection: CoreConnectionStatus?
  }

  /// The tags, at least one, outermost first, such as `errorAgent`, `BROKER`, `TIMEOUT`.
  public let tags: [String]
  /// The meaning of the tags.
  public let kind: Kind
  /// The host of the server that the error is about, or `nil`.
  public let host: String?
  /// The core's own words, if there are any: one line, bounded, without passwords.
  public let message: String?
  /// The member whose connection the error is about, or `nil`.
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
    case .command, .notAllowed, .item: .rejected
    case .noUser, .notStarted: .unreachable
    case .store: .storage
    case .other: .protocol
    }
  }
}
