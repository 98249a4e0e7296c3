// Written by `make generate` from org.batond.Posts.varlink.

public import Sentences
internal import StrictJSON
public import Varlink

/// Why `org.batond.Posts` refused a call.
public enum PostsRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Posts"

  /// No post has this identifier.
  case noSuchPost(id: Int64)
  /// No channel has this identifier.
  case noSuchChannel(id: Int64?, name: String?)
  /// No relay has this identifier, or the post does not go to it.
  case noSuchRelay(id: Int64)
  /// A field of the post is not allowed. Correct it.
  case invalidPost(field: String, reason: String)
  /// The key was used before, for a post with other parameters or a post that was deleted since. Use another key.
  case idempotencyKeyReused(id: Int64, deleted: Bool)
  /// A limit of the retention is not allowed. Correct it.
  case invalidRetention(field: String, reason: String)
  /// Someone else runs the channel, and Baton only reads it. See org.batond.Channels.Follow.
  case notOwned(id: Int64)
  /// The channel is frozen, so nothing is published in it. Unfreeze it with org.batond.Channels.SetFrozen.
  case channelFrozen(id: Int64)
  /// Every relay has the post, or may have it. Delete the post instead.
  case notCancellable(id: Int64)
  /// The network, or the kind of channel, does not support this.
  case notSupported(network: String, reason: String)
  /// The daemon does not serve this protocol, or cannot serve it now.
  case networkUnavailable(network: String, reason: String)
  /// Too many requests are waiting. Try again.
  case busy
  /// The database is damaged, and the requested data is unreadable. Restore a backup. batonctl check lists the damage.
  case storageDamaged(reason: String)
  /// Another daemon that shares the database was asked to answer, and the outcome is unknown. Check before you retry.
  case outcomeUnknown(reason: String)
  /// The daemon cannot read or write the database. Nothing was changed.
  case storageUnavailable(reason: String)
  /// Internal error in the daemon. Its journal has the details. The change may or may not have been made.
  case internalError
  /// An error that this version does not know, or one of Varlink's own.
  case other(VarlinkError)

  /// - Parameter error: as the daemon sent it.
  public init(_ error: VarlinkError) {
    switch error.name {
    case "org.batond.Posts.NoSuchPost":
      self = .noSuchPost(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Posts.NoSuchChannel":
      self = .noSuchChannel(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Posts.NoSuchRelay":
      self = .noSuchRelay(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Posts.InvalidPost":
      self = .invalidPost(
        field: error.parameters["field"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Posts.IdempotencyKeyReused":
      self = .idempotencyKeyReused(
        id: error.parameters["id"]?.integer ?? 0,
        deleted: error.parameters["deleted"]?.bool ?? false)
    case "org.batond.Posts.InvalidRetention":
      self = .invalidRetention(
        field: error.parameters["field"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Posts.NotOwned":
      self = .notOwned(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Posts.ChannelFrozen":
      self = .channelFrozen(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Posts.NotCancellable":
      self = .notCancellable(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Posts.NotSupported":
      self = .notSupported(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Posts.NetworkUnavailable":
      self = .networkUnavailable(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Posts.Busy":
      self = .busy
    case "org.batond.Posts.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Posts.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Posts.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Posts.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchPost(let id):
      VarlinkError(
        "org.batond.Posts.NoSuchPost",
        carrying: ["id": .integer(id)])
    case .noSuchChannel(let id, let name):
      VarlinkError(
        "org.batond.Posts.NoSuchChannel",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .noSuchRelay(let id):
      VarlinkError(
        "org.batond.Posts.NoSuchRelay",
        carrying: ["id": .integer(id)])
    case .invalidPost(let field, let reason):
      VarlinkError(
        "org.batond.Posts.InvalidPost",
        carrying: [
          "field": .string(field),
          "reason": .string(reason),
        ])
    case .idempotencyKeyReused(let id, let deleted):
      VarlinkError(
        "org.batond.Posts.IdempotencyKeyReused",
        carrying: [
          "id": .integer(id),
          "deleted": .bool(deleted),
        ])
    case .invalidRetention(let field, let reason):
      VarlinkError(
        "org.batond.Posts.InvalidRetention",
        carrying: [
          "field": .string(field),
          "reason": .string(reason),
        ])
    case .notOwned(let id):
      VarlinkError(
        "org.batond.Posts.NotOwned",
        carrying: ["id": .integer(id)])
    case .channelFrozen(let id):
      VarlinkError(
        "org.batond.Posts.ChannelFrozen",
        carrying: ["id": .integer(id)])
    case .notCancellable(let id):
      VarlinkError(
        "org.batond.Posts.NotCancellable",
        carrying: ["id": .integer(id)])
    case .notSupported(let network, let reason):
      VarlinkError(
        "org.batond.Posts.NotSupported",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .networkUnavailable(let network, let reason):
      VarlinkError(
        "org.batond.Posts.NetworkUnavailable",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Posts.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Posts.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Posts.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Posts.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Posts.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchPost(let id): .noSuchPost(id: id)
    case .noSuchChannel(let id, let name): .noSuchChannel(id: id, name: name)
    case .noSuchRelay(let id): .noSuchRelay(id: id)
    case .invalidPost(let field, let reason): .invalidPost(field: field, reason: reason)
    case .idempotencyKeyReused(let id, let deleted): .postKeyReused(id: id, deleted: deleted)
    case .invalidRetention(let field, let reason): .invalidRetention(field: field, reason: reason)
    case .notOwned(let id): .notOwned(id: id)
    case .channelFrozen(let id): .channelFrozen(id: id)
    case .notCancellable(let id): .notCancellable(id: id)
    case .notSupported(let network, let reason): .notSupported(network: network, reason: reason)
    case .networkUnavailable(let network, let reason): .networkUnavailable(network: network, reason: reason)
    case .busy: .busy
    case .storageDamaged(let reason): .storageDamaged(reason: reason)
    case .outcomeUnknown(let reason): .outcomeUnknown(reason: reason)
    case .storageUnavailable(let reason): .storageUnavailable(reason: reason)
    case .internalError: .internalError
    case .other(let error): .of(service: error)
    }
  }
}
