// Written by `make generate` from org.batond.Channels.varlink.

public import Sentences
public import StrictJSON
public import Varlink

/// Why `org.batond.Channels` refused a call.
public enum ChannelsRefusal: InterfaceRefusal {
  public static let interface = "org.batond.Channels"

  /// No channel has this identifier or name, or has both.
  case noSuchChannel(id: Int64?, name: String?)
  /// Several channels have this name.
  case ambiguousName(name: String, channelIds: [Int64])
  /// The channel cannot be hidden because its messages are not read: the daemon reads no messages, or the channel was deleted.
  case notFollowed(id: Int64)
  /// Someone else runs the channel, and Baton only reads it. See Follow.
  case notOwned(id: Int64)
  /// The channel is Baton's own: delete it instead.
  case owned(id: Int64)
  /// The text is not a link to a channel that can be followed.
  case invalidLink(reason: String)
  /// None of the relays in the link is configured in Baton.
  case noKnownRelay(addresses: [String])
  /// The channel cannot be followed: no relay shows it, following it requires joining, joining failed, or the daemon reads no messages.
  case notFollowable(reason: String)
  /// The network does not support this.
  case notSupported(network: String, reason: String)
  /// No relay has this identifier.
  case noSuchRelay(id: Int64?)
  /// The channel does not have this relay.
  case notInChannel(relayId: Int64, relayName: String)
  /// No identity has this name.
  case noSuchIdentity(name: String)
  /// No relay of the protocol is enabled: add one with org.batond.Relays.Add.
  case noEnabledRelays(network: String)
  /// Relays are enabled, but none is known to offer groups. Test them, or specify the relay to use.
  case noGroupRelays(network: String, untested: Int)
  /// More relays were requested than a channel may have.
  case tooManyRelays(wanted: Int, max: Int)
  /// Fewer relays are available than were requested.
  case notEnoughRelays(wanted: Int, available: Int)
  /// The key was used before, for a channel with other parameters or a channel that was deleted since.
  case idempotencyKeyReused(id: Int64, deleted: Bool)
  /// The name is not allowed.
  case invalidDisplayName(reason: String)
  /// Another field of the request is not allowed.
  case invalidProfile(field: String, reason: String)
  /// The image is not allowed.
  case invalidImage(reason: String)
  /// The channel has this relay, or had it.
  case alreadyInChannel(relayId: Int64, status: String)
  /// A group uses exactly one relay and keeps it.
  case groupNeedsOneRelay
  /// The relay does not offer groups.
  case noGroupSupport(relayId: Int64, reason: String)
  /// The channel has changed since the revision on which the update is based.
  case staleRevision(current: JSONValue)
  /// This is the channel's last relay. Delete the channel instead, or add another relay first.
  case lastRelay(id: Int64)
  /// The relay and the channel are on different networks.
  case networkMismatch(relayId: Int64)
  /// The channel has no link yet, because no relay has been active.
  case noLink(id: Int64)
  /// The filter, sort or cursor is invalid.
  case invalidFilter(path: String, reason: String)
  /// The daemon does not serve this protocol, or currently cannot.
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
    case "org.batond.Channels.NoSuchChannel":
      self = .noSuchChannel(
        id: error.parameters["id"]?.integer,
        name: error.parameters["name"]?.string)
    case "org.batond.Channels.AmbiguousName":
      self = .ambiguousName(
        name: error.parameters["name"]?.string ?? "",
        channelIds: (try? [Int64](json: error.parameters["channelIds"] ?? .null)) ?? [])
    case "org.batond.Channels.NotFollowed":
      self = .notFollowed(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Channels.NotOwned":
      self = .notOwned(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Channels.Owned":
      self = .owned(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Channels.InvalidLink":
      self = .invalidLink(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.NoKnownRelay":
      self = .noKnownRelay(
        addresses: (try? [String](json: error.parameters["addresses"] ?? .null)) ?? [])
    case "org.batond.Channels.NotFollowable":
      self = .notFollowable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.NotSupported":
      self = .notSupported(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.NoSuchRelay":
      self = .noSuchRelay(
        id: error.parameters["id"]?.integer)
    case "org.batond.Channels.NotInChannel":
      self = .notInChannel(
        relayId: error.parameters["relayId"]?.integer ?? 0,
        relayName: error.parameters["relayName"]?.string ?? "")
    case "org.batond.Channels.NoSuchIdentity":
      self = .noSuchIdentity(
        name: error.parameters["name"]?.string ?? "")
    case "org.batond.Channels.NoEnabledRelays":
      self = .noEnabledRelays(
        network: error.parameters["network"]?.string ?? "")
    case "org.batond.Channels.NoGroupRelays":
      self = .noGroupRelays(
        network: error.parameters["network"]?.string ?? "",
        untested: Int(error.parameters["untested"]?.integer ?? 0))
    case "org.batond.Channels.TooManyRelays":
      self = .tooManyRelays(
        wanted: Int(error.parameters["wanted"]?.integer ?? 0),
        max: Int(error.parameters["max"]?.integer ?? 0))
    case "org.batond.Channels.NotEnoughRelays":
      self = .notEnoughRelays(
        wanted: Int(error.parameters["wanted"]?.integer ?? 0),
        available: Int(error.parameters["available"]?.integer ?? 0))
    case "org.batond.Channels.IdempotencyKeyReused":
      self = .idempotencyKeyReused(
        id: error.parameters["id"]?.integer ?? 0,
        deleted: error.parameters["deleted"]?.bool ?? false)
    case "org.batond.Channels.InvalidDisplayName":
      self = .invalidDisplayName(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.InvalidProfile":
      self = .invalidProfile(
        field: error.parameters["field"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.InvalidImage":
      self = .invalidImage(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.AlreadyInChannel":
      self = .alreadyInChannel(
        relayId: error.parameters["relayId"]?.integer ?? 0,
        status: error.parameters["status"]?.string ?? "")
    case "org.batond.Channels.GroupNeedsOneRelay":
      self = .groupNeedsOneRelay
    case "org.batond.Channels.NoGroupSupport":
      self = .noGroupSupport(
        relayId: error.parameters["relayId"]?.integer ?? 0,
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.StaleRevision":
      self = .staleRevision(
        current: error.parameters["current"] ?? .null)
    case "org.batond.Channels.LastRelay":
      self = .lastRelay(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Channels.NetworkMismatch":
      self = .networkMismatch(
        relayId: error.parameters["relayId"]?.integer ?? 0)
    case "org.batond.Channels.NoLink":
      self = .noLink(
        id: error.parameters["id"]?.integer ?? 0)
    case "org.batond.Channels.InvalidFilter":
      self = .invalidFilter(
        path: error.parameters["path"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.NetworkUnavailable":
      self = .networkUnavailable(
        network: error.parameters["network"]?.string ?? "",
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.Busy":
      self = .busy
    case "org.batond.Channels.StorageDamaged":
      self = .storageDamaged(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.OutcomeUnknown":
      self = .outcomeUnknown(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.StorageUnavailable":
      self = .storageUnavailable(
        reason: error.parameters["reason"]?.string ?? "")
    case "org.batond.Channels.InternalError":
      self = .internalError
    default: self = .other(error)
    }
  }

  /// What goes over the wire.
  public var error: VarlinkError {
    switch self {
    case .noSuchChannel(let id, let name):
      VarlinkError(
        "org.batond.Channels.NoSuchChannel",
        carrying: [
          "id": id.map(JSONValue.integer),
          "name": name.map(JSONValue.string),
        ])
    case .ambiguousName(let name, let channelIds):
      VarlinkError(
        "org.batond.Channels.AmbiguousName",
        carrying: [
          "name": .string(name),
          "channelIds": try? channelIds.json,
        ])
    case .notFollowed(let id):
      VarlinkError(
        "org.batond.Channels.NotFollowed",
        carrying: ["id": .integer(id)])
    case .notOwned(let id):
      VarlinkError(
        "org.batond.Channels.NotOwned",
        carrying: ["id": .integer(id)])
    case .owned(let id):
      VarlinkError(
        "org.batond.Channels.Owned",
        carrying: ["id": .integer(id)])
    case .invalidLink(let reason):
      VarlinkError(
        "org.batond.Channels.InvalidLink",
        carrying: ["reason": .string(reason)])
    case .noKnownRelay(let addresses):
      VarlinkError(
        "org.batond.Channels.NoKnownRelay",
        carrying: ["addresses": try? addresses.json])
    case .notFollowable(let reason):
      VarlinkError(
        "org.batond.Channels.NotFollowable",
        carrying: ["reason": .string(reason)])
    case .notSupported(let network, let reason):
      VarlinkError(
        "org.batond.Channels.NotSupported",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .noSuchRelay(let id):
      VarlinkError(
        "org.batond.Channels.NoSuchRelay",
        carrying: ["id": id.map(JSONValue.integer)])
    case .notInChannel(let relayId, let relayName):
      VarlinkError(
        "org.batond.Channels.NotInChannel",
        carrying: [
          "relayId": .integer(relayId),
          "relayName": .string(relayName),
        ])
    case .noSuchIdentity(let name):
      VarlinkError(
        "org.batond.Channels.NoSuchIdentity",
        carrying: ["name": .string(name)])
    case .noEnabledRelays(let network):
      VarlinkError(
        "org.batond.Channels.NoEnabledRelays",
        carrying: ["network": .string(network)])
    case .noGroupRelays(let network, let untested):
      VarlinkError(
        "org.batond.Channels.NoGroupRelays",
        carrying: [
          "network": .string(network),
          "untested": .integer(Int64(untested)),
        ])
    case .tooManyRelays(let wanted, let max):
      VarlinkError(
        "org.batond.Channels.TooManyRelays",
        carrying: [
          "wanted": .integer(Int64(wanted)),
          "max": .integer(Int64(max)),
        ])
    case .notEnoughRelays(let wanted, let available):
      VarlinkError(
        "org.batond.Channels.NotEnoughRelays",
        carrying: [
          "wanted": .integer(Int64(wanted)),
          "available": .integer(Int64(available)),
        ])
    case .idempotencyKeyReused(let id, let deleted):
      VarlinkError(
        "org.batond.Channels.IdempotencyKeyReused",
        carrying: [
          "id": .integer(id),
          "deleted": .bool(deleted),
        ])
    case .invalidDisplayName(let reason):
      VarlinkError(
        "org.batond.Channels.InvalidDisplayName",
        carrying: ["reason": .string(reason)])
    case .invalidProfile(let field, let reason):
      VarlinkError(
        "org.batond.Channels.InvalidProfile",
        carrying: [
          "field": .string(field),
          "reason": .string(reason),
        ])
    case .invalidImage(let reason):
      VarlinkError(
        "org.batond.Channels.InvalidImage",
        carrying: ["reason": .string(reason)])
    case .alreadyInChannel(let relayId, let status):
      VarlinkError(
        "org.batond.Channels.AlreadyInChannel",
        carrying: [
          "relayId": .integer(relayId),
          "status": .string(status),
        ])
    case .groupNeedsOneRelay: VarlinkError("org.batond.Channels.GroupNeedsOneRelay")
    case .noGroupSupport(let relayId, let reason):
      VarlinkError(
        "org.batond.Channels.NoGroupSupport",
        carrying: [
          "relayId": .integer(relayId),
          "reason": .string(reason),
        ])
    case .staleRevision(let current):
      VarlinkError(
        "org.batond.Channels.StaleRevision",
        carrying: ["current": current])
    case .lastRelay(let id):
      VarlinkError(
        "org.batond.Channels.LastRelay",
        carrying: ["id": .integer(id)])
    case .networkMismatch(let relayId):
      VarlinkError(
        "org.batond.Channels.NetworkMismatch",
        carrying: ["relayId": .integer(relayId)])
    case .noLink(let id):
      VarlinkError(
        "org.batond.Channels.NoLink",
        carrying: ["id": .integer(id)])
    case .invalidFilter(let path, let reason):
      VarlinkError(
        "org.batond.Channels.InvalidFilter",
        carrying: [
          "path": .string(path),
          "reason": .string(reason),
        ])
    case .networkUnavailable(let network, let reason):
      VarlinkError(
        "org.batond.Channels.NetworkUnavailable",
        carrying: [
          "network": .string(network),
          "reason": .string(reason),
        ])
    case .busy: VarlinkError("org.batond.Channels.Busy")
    case .storageDamaged(let reason):
      VarlinkError(
        "org.batond.Channels.StorageDamaged",
        carrying: ["reason": .string(reason)])
    case .outcomeUnknown(let reason):
      VarlinkError(
        "org.batond.Channels.OutcomeUnknown",
        carrying: ["reason": .string(reason)])
    case .storageUnavailable(let reason):
      VarlinkError(
        "org.batond.Channels.StorageUnavailable",
        carrying: ["reason": .string(reason)])
    case .internalError: VarlinkError("org.batond.Channels.InternalError")
    case .other(let error): error
    }
  }

  /// The sentence for people.
  public var sentence: RefusalSentence {
    switch self {
    case .noSuchChannel(let id, let name): .noSuchChannel(id: id, name: name)
    case .ambiguousName(let name, let channelIds): .ambiguousName(name: name, channelIds: channelIds)
    case .notFollowed(let id): .notFollowed(id: id)
    case .notOwned(let id): .notOwned(id: id)
    case .owned(let id): .owned(id: id)
    case .invalidLink(let reason): .invalidLink(reason: reason)
    case .noKnownRelay(let addresses): .noKnownRelay(addresses: addresses)
    case .notFollowable(let reason): .notFollowable(reason: reason)
    case .notSupported(let network, let reason): .notSupported(network: network, reason: reason)
    case .noSuchRelay(let id): .noSuchRelay(id: id)
    case .notInChannel(let relayId, let relayName): .notInChannel(relayId: relayId, relayName: relayName)
    case .noSuchIdentity(let name): .noSuchIdentity(name: name)
    case .noEnabledRelays(let network): .noEnabledRelays(network: network)
    case .noGroupRelays(let network, let untested): .noGroupRelays(network: network, untested: untested)
    case .tooManyRelays(let wanted, let max): .tooManyRelays(wanted: wanted, max: max)
    case .notEnoughRelays(let wanted, let available): .notEnoughRelays(wanted: wanted, available: available)
    case .idempotencyKeyReused(let id, let deleted): .idempotencyKeyReused(id: id, deleted: deleted)
    case .invalidDisplayName(let reason): .invalidDisplayName(reason: reason)
    case .invalidProfile(let field, let reason): .invalidProfile(field: field, reason: reason)
    case .invalidImage(let reason): .invalidImage(reason: reason)
    case .alreadyInChannel(let relayId, let status): .alreadyInChannel(relayId: relayId, status: status)
    case .groupNeedsOneRelay: .groupNeedsOneRelay
    case .noGroupSupport(let relayId, let reason): .noGroupSupport(relayId: relayId, reason: reason)
    case .staleRevision(let current): .staleRevision(current: current)
    case .lastRelay(let id): .lastRelay(id: id)
    case .networkMismatch(let relayId): .networkMismatch(relayId: relayId)
    case .noLink(let id): .noLink(id: id)
    case .invalidFilter(let path, let reason): .invalidFilter(path: path, reason: reason)
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
