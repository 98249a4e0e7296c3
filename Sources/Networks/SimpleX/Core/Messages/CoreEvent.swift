/// An event of the core. It may come before the answer to the command that caused it, and be about a group that is not known yet.
public enum CoreEvent: Hashable, Sendable {
  /// A relay accepted, rejected, or acknowledged the roster.
  case relayUpdated(CoreGroup, CoreMember, CoreGroupRelay)
  /// The link was published again. The list has the current state of every relay.
  /// - relaysChanged: whether this publication changed a relay. The list is valid either way.
  case linkUpdated(CoreGroup, CoreGroupLink, [CoreGroupRelay], relaysChanged: Bool)
  /// A member changed. A relay whose connection is now `failed` is lost. The core gives no other sign.
  case memberUpdated(CoreGroup, from: CoreMember, to: CoreMember)
  case memberConnected(CoreGroup, CoreMember)
  /// A member left by itself.
  case memberLeft(CoreGroup, CoreMember)
  /// Another member removed one.
  case memberRemoved(CoreGroup, by: CoreMember, CoreMember)
  /// A member came, or has another role, or was blocked for everyone.
  case membersChanged(CoreGroup)
  /// Another member removed the core's user.
  case userRemoved(CoreGroup, by: CoreMember)
  /// Another member deleted the group.
  case groupDeleted(CoreGroup, by: CoreMember)
  case groupUpdated(from: CoreGroup, to: CoreGroup)
  /// Someone else wrote messages.
  case itemsReceived([CoreChatItem])
  /// Someone else edited a message.
  case itemUpdated(CoreChatItem)
  /// Someone else, or the core itself, deleted messages.
  case itemsDeleted([CoreItemDeletion])
  /// Messages of a group were deleted. Only their numbers are given.
  case itemsGone(CoreGroup, [CoreItem.ID])
  /// Someone else reacted to a message.
  case reaction(CoreReactionChange)
  /// The state of messages changed, for all members together. A failure at one relay changes nothing here.
  case itemStatuses([CoreChatItem])
  /// A connection to a server of this protocol was established.
  case hostConnected(transport: String, host: String)
  case hostDisconnected(transport: String, host: String)
  /// An error that no command caused, or that came after the answer. `CoreError.place` names the member that it is about.
  case error(CoreError)
  /// The core refused a message that it could not read, without naming it.
  case refusal(CoreError)
  /// A message of another member could not be used.
  case messageError(severity: String, message: String)
  /// An event that Baton does not use.
  case other(tag: String)
  /// An event that could not be read.
  /// - tag: the tag of the event, or empty if not even that could be read.
  case unreadable(tag: String, CoreShapeError)
}

extension CoreEvent {
  /// The events in one message, in order: one, except for a list of errors. An unreadable part is an event too.
  static func events(tag: String, _ reader: CoreReader) -> [CoreEvent] {
    do throws(CoreShapeError) {
      if tag == "chatErrors" { return try reader.list("chatErrors", of: CoreError.self).map(CoreEvent.error) }
      return [try event(tag: tag, reader)]
    } catch {
      return [.unreadable(tag: CoreText.bounded(tag), error)]
    }
  }

  private static func event(tag: String, _ reader: CoreReader) throws(CoreShapeError) -> CoreEvent {
    switch tag {
    case "groupRelayUpdated":
      .relayUpdated(try reader.read("groupInfo"), try reader.read("member"), try reader.read("groupRelay"))
    case "groupLinkDataUpdated":
      .linkUpdated(
        try reader.read("groupInfo"), try reader.read("groupLink"), try reader.list("groupRelays"),
        relaysChanged: try reader.boolIfPresent("relaysChanged") ?? false)
    case "groupMemberUpdated":
      .memberUpdated(try reader.read("groupInfo"), from: try reader.read("fromMember"), to: try reader.read("toMember"))
    case "connectedToGroupMember": .memberConnected(try reader.read("groupInfo"), try reader.read("member"))
    case "joinedGroupMember", "joinedGroupMemberConnecting", "memberAcceptedByOther", "memberRole", "memberBlockedForAll":
      .membersChanged(try reader.read("groupInfo"))
    case "leftMember": .memberLeft(try reader.read("groupInfo"), try reader.read("member"))
    case "deletedMember":
      .memberRemoved(try reader.read("groupInfo"), by: try reader.read("byMember"), try reader.read("deletedMember"))
    case "deletedMemberUser": .userRemoved(try reader.read("groupInfo"), by: try reader.read("member"))
    case "groupDeleted": .groupDeleted(try reader.read("groupInfo"), by: try reader.read("member"))
    case "groupUpdated": .groupUpdated(from: try reader.read("fromGroup"), to: try reader.read("toGroup"))
    case "hostConnected", "hostDisconnected": try host(isUp: tag == "hostConnected", reader)
    case "chatError": .error(try reader.read("chatError"))
    case "chatCmdError": .refusal(try reader.read("chatError"))
    case "messageError":
      .messageError(
        severity: CoreText.bounded(try reader.string("severity")), message: CoreText.bounded(try reader.string("errorMessage")))
    default: try aboutItem(tag: tag, reader) ?? .other(tag: CoreText.bounded(tag))
    }
  }

  private static func aboutItem(tag: String, _ reader: CoreReader) throws(CoreShapeError) -> CoreEvent? {
    switch tag {
    case "newChatItems": .itemsReceived(try reader.readableList("chatItems", atMost: CoreChatItem.countMax))
    case "chatItemUpdated": .itemUpdated(try reader.read("chatItem"))
    case "chatItemsDeleted": .itemsDeleted(try reader.readableList("chatItemDeletions", atMost: CoreChatItem.countMax))
    case "groupChatItemsDeleted":
      .itemsGone(try reader.read("groupInfo"), try reader.ids("chatItemIDs", atMost: CoreChatItem.countMax))
    case "chatItemReaction": .reaction(try CoreReactionChange(reader))
    case "chatItemsStatusesUpdated": .itemStatuses(try reader.list("chatItems", atMost: CoreChatItem.countMax))
    default: nil
    }
  }

  private static func host(isUp: Bool, _ reader: CoreReader) throws(CoreShapeError) -> CoreEvent {
    let transport = CoreText.bounded(try reader.string("protocol"))
    let host = CoreText.bounded(try reader.string("transportHost"))
    return isUp ? .hostConnected(transport: transport, host: host) : .hostDisconnected(transport: transport, host: host)
  }
}
