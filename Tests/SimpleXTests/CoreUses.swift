import StrictJSON

@testable import SimpleX

// What Baton uses of the core's messages as plain JSON, in the order in which `python/instances.py` lists it.

private func list(_ parts: JSONValue?...) -> JSONValue { .array(parts.map { $0 ?? .null }) }

private func words(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }

extension CoreID {
  fileprivate var uses: JSONValue { .integer(rawValue) }
}

extension CoreUser {
  fileprivate var uses: JSONValue {
    list(id.uses, .string(localName), .string(displayName), .bool(isActive), .bool(isChatRelay))
  }
}

extension CoreMember {
  fileprivate var uses: JSONValue {
    list(
      id.uses, group.uses, .string(sharedID), .string(role.text), .string(status.text), .string(localName),
      connection?.uses, words(relayLink), words(name), .bool(isBlocked))
  }
}

extension CoreConnectionStatus {
  fileprivate var uses: JSONValue {
    switch self {
    case .new: list("new", nil)
    case .prepared: list("prepared", nil)
    case .joined: list("joined", nil)
    case .requested: list("requested", nil)
    case .accepted: list("accepted", nil)
    case .sendReady: list("sndReady", nil)
    case .ready: list("ready", nil)
    case .deleted: list("deleted", nil)
    case .failed(let reason): list("failed", .string(reason))
    case .unknown(let word): list(.string(word), nil)
    }
  }
}

extension CoreGroup {
  fileprivate var uses: JSONValue {
    list(
      id.uses, .bool(usesRelays), .string(localName), profile.json, membership.uses, words(ownRelayStatus?.text),
      .string(createdAt), .integer(memberCount), publicMemberCount.map(JSONValue.integer),
      isJoinStarted.map(JSONValue.bool))
  }
}

extension CoreGroupLink {
  fileprivate var uses: JSONValue { list(words(short), .string(full)) }
}

extension CoreRelay {
  fileprivate var uses: JSONValue {
    list(
      id?.uses, .string(address), .array(domains.map(JSONValue.string)), .bool(isPreset), .bool(isEnabled),
      .bool(isDeleted), isTested.map(JSONValue.bool), .string(name))
  }
}

extension CoreGroupRelay {
  fileprivate var uses: JSONValue {
    list(id.uses, member.uses, relay.uses, .string(status.text), words(link), words(webDomain))
  }
}

extension CoreError {
  fileprivate var uses: JSONValue {
    list(.array(tags.map(JSONValue.string)), place.map { list($0.group.uses, $0.member.uses) })
  }
}

extension CoreRelayResult {
  fileprivate var uses: JSONValue { list(relay.uses, error?.uses) }
}

extension CoreItem.Author {
  fileprivate var uses: JSONValue {
    switch self {
    case .channel: ["channel"]
    case .user: ["user"]
    case .otherOwner: ["otherOwner"]
    case .member(let id): list("member", id.uses)
    case .unknown(let word): list("unknown", .string(word))
    }
  }
}

extension CoreSendError {
  fileprivate var uses: JSONValue {
    switch self {
    case .auth: ["auth"]
    case .quota: ["quota"]
    case .expired: ["expired"]
    case .relay(let words): list("relay", .string(words))
    case .proxy(let host, let words): list("proxy", .string(host), .string(words))
    case .proxyRelay(let host, let words): list("proxyRelay", .string(host), .string(words))
    case .other(let words): list("other", .string(words))
    case .unknown(let word): list("unknown", .string(word))
    }
  }
}

extension CoreItemStatus {
  fileprivate var uses: JSONValue {
    switch self {
    case .new: ["new"]
    case .sent(let isComplete): list("sent", .bool(isComplete))
    case .received(let isIntact, let isComplete): list("received", .bool(isIntact), .bool(isComplete))
    case .error(let error): list("error", error.uses)
    case .warning(let error): list("warning", error.uses)
    case .incoming(let isRead): list("incoming", .bool(isRead))
    case .invalid(let words): list("invalid", .string(words))
    case .unknown(let word): list("unknown", .string(word))
    }
  }
}

extension CoreFileError {
  fileprivate var uses: JSONValue {
    switch self {
    case .auth: ["auth"]
    case .blocked: ["blocked"]
    case .noFile: ["noFile"]
    case .server(let words): list("relay", .string(words))
    case .other(let words): list("other", .string(words))
    case .unknown(let word): list("unknown", .string(word))
    }
  }
}

extension CoreItemFile {
  fileprivate var uses: JSONValue {
    let state: JSONValue =
      switch state {
      case .stored: ["stored"]
      case .uploading: ["uploading"]
      case .complete: ["complete"]
      case .cancelled: ["cancelled"]
      case .error(let error): list("error", error.uses)
      case .warning(let error): list("warning", error.uses)
      case .invalid(let words): list("invalid", .string(words))
      case .unknown(let word): list("unknown", .string(word))
      }
    return list(.string(name), state, size.map(JSONValue.integer))
  }
}

extension CoreSender {
  fileprivate var uses: JSONValue { list(.string(sharedID), words(name)) }
}

extension CoreItem {
  fileprivate var uses: JSONValue {
    list(
      id.uses, words(sharedID), .string(sentAt), author.uses,
      content.map { list(.string($0.kind.text), .string($0.text), words($0.link), words($0.title)) }, file?.uses, status.uses,
      .bool(isEdited),
      words(deletion?.text), .bool(isEditable), .bool(isDeletable),
      .array(reactions.map { list(.string($0.emoji), .bool($0.isOwn), .integer($0.count)) }), sender?.uses, .string(text),
      .bool(isMention), quote.map { list($0.item?.uses, words($0.sharedID)) })
  }
}

extension CoreChatItem {
  fileprivate var uses: JSONValue { list(group?.uses, item.uses) }
}

extension CoreItemDeletion {
  fileprivate var uses: JSONValue { list(deleted.uses, remaining?.uses) }
}

extension CoreReactionChange {
  fileprivate var uses: JSONValue { list(.bool(isAdded), .string(emoji), group?.uses, item.uses, author.uses, sender?.uses) }
}

extension CoreConnectionPlan {
  fileprivate var uses: JSONValue {
    switch self {
    case .ok(let data): list("ok", data?.profile.json)
    case .own(let group): list("own", group.uses)
    case .joining(let group): list("joining", group?.uses)
    case .known(let group): list("known", group.uses)
    case .noRelays: list("noRelays")
    case .tooOld: list("tooOld")
    case .failed(let error): list("error", error.uses)
    case .other(let tag): list("other", .string(tag))
    }
  }
}

extension CoreReply {
  /// nil: not compared.
  var uses: JSONValue? {
    switch self {
    case .done, .started, .running, .stopped: []
    case .activeUser(let user): list(user.uses)
    case .users(let users): list(.array(users.map(\.uses)))
    case .channelCreated(let group, let link, let relays), .relaysAdded(let group, let link, let relays):
      list(group.uses, link.uses, .array(relays.map(\.uses)))
    case .channelNotCreated(let results), .relaysNotAdded(let results): list(.array(results.map(\.uses)))
    case .relays(let group, let relays): list(group.uses, .array(relays.map(\.uses)))
    case .membersRemoved(let group, let members), .members(let group, let members), .roleChanged(let group, let members),
      .blockChanged(let group, let members):
      list(group.uses, .array(members.map(\.uses)))
    case .relayAllowed(let group), .groupDeleted(let group), .left(let group), .group(let group): list(group.uses)
    case .member(let group, let member): list(group.uses, member.uses)
    case .link(let group, let link): list(group.uses, link.uses)
    case .groups(let groups): list(.array(groups.map(\.uses)))
    case .profileUpdated(let from, let to): list(from.uses, to.uses)
    case .itemsSent(let items): list(.array(items.map(\.uses)))
    case .itemUpdated(let item), .itemNotChanged(let item): list(item.uses)
    case .itemsDeleted(let deletions): list(.array(deletions.map(\.uses)))
    case .reaction(let change): change.uses
    case .plan(let link, let plan): list(list(words(link.short), .string(link.full)), plan.uses)
    case .prepared, .joinStarted, .version, .operators, .servers, .validation, .serverTest, .relayTest, .itemInfo, .page,
      .unknown:
      nil
    }
  }
}

extension CoreFailure {
  /// nil: not compared.
  var uses: JSONValue? { if case .refused(let error) = self { list(error.uses) } else { nil } }
}

extension CoreEvent {
  /// nil: not compared.
  var uses: JSONValue? {
    switch self {
    case .relayUpdated(let group, let member, let relay): list(group.uses, member.uses, relay.uses)
    case .linkUpdated(let group, let link, let relays, let relaysChanged):
      list(group.uses, link.uses, .array(relays.map(\.uses)), .bool(relaysChanged))
    case .memberUpdated(let group, let from, let to): list(group.uses, from.uses, to.uses)
    case .memberConnected(let group, let member), .memberLeft(let group, let member), .userRemoved(let group, let member),
      .groupDeleted(let group, let member):
      list(group.uses, member.uses)
    case .memberRemoved(let group, let by, let member): list(group.uses, by.uses, member.uses)
    case .groupUpdated(let from, let to): list(from.uses, to.uses)
    case .membersChanged(let group): list(group.uses)
    case .itemsReceived(let items), .itemStatuses(let items): list(.array(items.map(\.uses)))
    case .itemUpdated(let item): list(item.uses)
    case .itemsDeleted(let deletions): list(.array(deletions.map(\.uses)))
    case .itemsGone(let group, let items): list(group.uses, .array(items.map(\.uses)))
    case .reaction(let change): change.uses
    case .hostConnected(let transport, let host), .hostDisconnected(let transport, let host):
      list(.string(transport), .string(host))
    case .error(let error), .refusal(let error): list(error.uses)
    case .messageError(let severity, let message): list(.string(severity), .string(message))
    case .other, .unreadable: nil
    }
  }
}
