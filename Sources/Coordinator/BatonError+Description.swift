internal import Channels
internal import RelayNetwork
internal import Storage

// What the journal says of a refusal. Clients get the name and what it carries, and have sentences of their own.
extension BatonError: CustomStringConvertible {
  /// What is wrong with which object; not what to do, because that depends on who reads it.
  public var description: String {
    switch self {
    case .noSuchOperator(let id): "there is no operator with id \(id.rawValue)"
    case .noSuchServer(let id): "there is no server with id \(id.rawValue)"
    case .noSuchRelay(let id): "there is no relay with id \(id.rawValue)"
    case .noSuchChannel(let id): "there is no channel with id \(id.rawValue)"
    case .noSuchIdentity(let name): "there is no identity named '\(name)'"
    case .noEnabledRelays(let network): "no relay on \(network.rawValue) is enabled"
    case .noGroupRelays(let network, let untested):
      "no enabled relay on \(network.rawValue) is known to offer groups; \(untested) were never tested"
    case .notEnoughRelays(let wanted, let available): "\(wanted) relays were asked for, \(available) can be used"
    case .tooManyRelays(let wanted, let max): "\(wanted) relays are more than a channel may have: at most \(max)"
    case .choiceChanged: "relays that were picked were disabled or removed at the same moment"
    case .relayInUse(let channels): "\(channels) channels use this relay"
    case .networkMismatch(let id): "relay \(id.rawValue) lives on another network than the others"
    case .alreadyInChannel(let id, .removed): "relay \(id.rawValue) was taken off this channel and cannot have it again"
    case .alreadyInChannel(let id, let status):
      "the channel is on relay \(id.rawValue) already, where it is \(status.rawValue)"
    case .notInChannel(let id): "the channel does not have relay \(id.rawValue)"
    case .lastRelay(let id): "it is the last relay of channel \(id.rawValue)"
    case .noGroupSupport(let id, let reason): "relay \(id.rawValue) cannot have the group: \(reason)"
    case .groupNeedsOneRelay: "a group lives on exactly one relay"
    case .invalidDisplayName(let reason): "the name cannot be used: \(reason)"
    case .invalidProfile(let field, let reason): "\(field) cannot be used: \(reason)"
    case .invalidImage(let reason): "the image cannot be used: \(reason)"
    case .invalidAddress(let address, let reason, let position):
      "'\(address)' cannot be used: \(reason)\(position.map { ", at character \($0 + 1)" } ?? "")"
    case .invalidDomain(let domain, let reason): "'\(domain)' cannot be used: \(reason)"
    case .invalidKey(let reason): "the key cannot be used: \(reason)"
    case .invalidFiles(let flaws): flaws.map(\.description).joined(separator: "; ")
    case .duplicateAddress(let id): "there is one with this address already: id \(id)"
    case .duplicateName(let name): "the name '\(name)' is in use already"
    case .idempotencyKeyReused(let id, isDeleted: true):
      "the idempotency key made channel \(id.rawValue), which was deleted"
    case .idempotencyKeyReused(let id, isDeleted: false):
      "the idempotency key made channel \(id.rawValue), with other parameters"
    case .staleRevision(let current): "\(current.kind) \(current.id) was changed by somebody else at the same time"
    case .staleChannel(let channel): "channel \(channel.row.id.rawValue) was changed by somebody else at the same time"
    case .declaredByFile(let field, let file): "its \(field) is declared in \(file)"
    case .operatorInUse(let servers, let relays): "\(servers) servers and \(relays) relays belong to this operator"
    case .identityInUse(channels: 0): "the identity main always stays"
    case .identityInUse(let channels): "\(channels) channels belong to this identity"
    case .wouldBreak(let findings): "the whole would have errors: \(findings.map(\.message).joined(separator: "; "))"
    case .busy: "too many requests wait"
    case .storageUnavailable(let reason): "the database cannot be used: \(reason)"
    case .networkUnavailable(_, let reason): reason
    }
  }
}
