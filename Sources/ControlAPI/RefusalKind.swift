public import Varlink

/// A kind of refusal that several control interfaces declare, and to which clients react in the same way.
public enum RefusalKind: CaseIterable, Hashable, Sendable {
  case ambiguousName, busy, invalidFilter, noSuchObject, revisionCompacted, staleRevision, storageUnavailable,
    tooManyConnections

  /// - Parameter word: the name of an error without its interface.
  fileprivate init?(_ word: some StringProtocol) {
    switch word {
    case "AmbiguousName": self = .ambiguousName
    case "Busy": self = .busy
    case "InvalidFilter": self = .invalidFilter
    case "NoSuchChannel", "NoSuchDaemon", "NoSuchIdentity", "NoSuchMember", "NoSuchMessage", "NoSuchOperator", "NoSuchPerson",
      "NoSuchPost", "NoSuchRelay", "NoSuchServer":
      self = .noSuchObject
    case "RevisionCompacted": self = .revisionCompacted
    case "StaleRevision": self = .staleRevision
    case "StorageUnavailable": self = .storageUnavailable
    case "TooManyConnections": self = .tooManyConnections
    default: return nil
    }
  }
}

extension VarlinkError {
  /// The kind of this error, if it is one of a control interface that `RefusalKind` has.
  public var kind: RefusalKind? {
    guard let type = Interfaces.refusals.first(where: { name.hasPrefix($0.interface + ".") }) else { return nil }
    return RefusalKind(name.dropFirst(type.interface.count + 1))
  }
}
