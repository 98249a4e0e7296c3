public import Channels

/// The state of a network as a whole: usable or not.
public enum NetworkState: Hashable, Sendable {
  /// - detail: a description of the network's program or service, for people.
  case works(detail: String)
  case down(NetworkTrouble)

  /// The reason why the network is unusable, or `nil` if it works.
  public var trouble: NetworkTrouble? { if case .down(let trouble) = self { trouble } else { nil } }
}

/// The reason why a network as a whole is unusable. Its relays are not affected, and still serve readers.
public struct NetworkTrouble: Hashable, Sendable {
  /// The words are stable: scripts rely on them.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The program that the network needs does not run, or cannot be reached.
    case absent
    /// It is too old for channels.
    case tooOld
    /// It has no user.
    case noUser
    /// It belongs to a different user than Baton's channels do.
    case wrongUser
  }
  public let kind: Kind
  /// The failure of operations that cannot be performed because of it.
  public let trouble: Trouble

  /// - Parameter detail: a sentence for people, with what to do where that is known.
  public init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    trouble = Trouble(kind == .tooOld ? .incompatibleVersion : .unreachable, detail)
  }
}
