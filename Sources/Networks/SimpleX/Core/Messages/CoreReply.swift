/// The answer of the core to a command that it carried out.
public enum CoreReply: Hashable, Sendable {
  /// The command succeeded, without further data (`cmdOk`).
  case done
  case version(CoreVersion)
  case activeUser(CoreUser)
  case users([CoreUser])
  /// The core was started just now.
  case started
  /// The core runs already.
  case running
  case stopped
  case operators(CoreConditions)
  case servers(CoreUser.ID, [CoreServerGroup])
  case validation(CoreServersValidation)
  case serverTest(CoreServerTest)
  case relayTest(CoreRelayTest)
  /// The channel was created. Its relays are invited.
  case channelCreated(CoreGroup, CoreGroupLink, [CoreGroupRelay])
  /// At least one relay failed for good, so there is no channel. There is one result for each relay.
  case channelNotCreated([CoreRelayResult])
  case relays(CoreGroup, [CoreGroupRelay])
  case relaysAdded(CoreGroup, CoreGroupLink, [CoreGroupRelay])
  /// At least one relay failed for good. Relays without an error remain invited. Relays with an error may remain `new`, and then cannot be
  /// invited again until they are removed.
  case relaysNotAdded([CoreRelayResult])
  case membersRemoved(CoreGroup, [CoreMember])
  case roleChanged(CoreGroup, [CoreMember])
  case blockChanged(CoreGroup, [CoreMember])
  case relayAllowed(CoreGroup)
  case link(CoreGroup, CoreGroupLink)
  case groups([CoreGroup])
  case members(CoreGroup, [CoreMember])
  case member(CoreGroup, CoreMember)
  case group(CoreGroup)
  case profileUpdated(from: CoreGroup, to: CoreGroup)
  case groupDeleted(CoreGroup)
  /// The plan for a link, and both forms of the link.
  case plan(CoreGivenLink, CoreConnectionPlan)
  case prepared(CoreGroup)
  /// The channel is being joined. At least one relay was reached.
  case joinStarted(CoreGroup)
  case left(CoreGroup)
  /// The messages that were sent, with their shared ids. No one has them yet.
  case itemsSent([CoreChatItem])
  case itemUpdated(CoreChatItem)
  /// The message had this content already, so nothing was sent.
  case itemNotChanged(CoreChatItem)
  case itemsDeleted([CoreItemDeletion])
  case reaction(CoreReactionChange)
  case itemInfo(CoreItemInfo)
  case page(CoreItemPage)
  /// An answer unknown to this version of Baton.
  case unknown(tag: String)
}

extension CoreReply {
  /// - Parameters:
  ///   - tag: the tag of the answer.
  ///   - reader: the answer.
  init(tag: String, _ reader: CoreReader) throws(CoreShapeError) {
    switch tag {
    case "cmdOk": self = .done
    case "versionInfo": self = .version(try CoreVersion(reader))
    case "activeUser": self = .activeUser(try reader.read("user"))
    case "usersList": self = .users(try reader.list("users", of: UserEntry.self).map(\.user))
    case "chatStarted": self = .started
    case "chatRunning": self = .running
    case "chatStopped": self = .stopped
    case "serverOperatorConditions": self = .operators(try reader.read("conditions"))
    case "userServers": self = .servers(try reader.object("user").id("userId"), try reader.list("userServers"))
    case "userServersValidation": self = .validation(try CoreServersValidation(reader))
    case "serverTestResult": self = .serverTest(try CoreServerTest(reader))
    case "chatRelayTestResult": self = .relayTest(try CoreRelayTest(reader))
    default: self = try Self.aboutGroup(tag: tag, reader) ?? .unknown(tag: CoreText.bounded(tag))
    }
  }

  private static func aboutItem(tag: String, _ reader: CoreReader) throws(CoreShapeError) -> CoreReply? {
    switch tag {
    case "newChatItems": .itemsSent(try reader.list("chatItems", atMost: CoreChatItem.countMax))
    case "chatItemUpdated": .itemUpdated(try reader.read("chatItem"))
    case "chatItemNotChanged": .itemNotChanged(try reader.read("chatItem"))
    case "chatItemsDeleted": .itemsDeleted(try reader.list("chatItemDeletions", atMost: CoreChatItem.countMax))
    case "chatItemReaction": .reaction(try CoreReactionChange(reader))
    case "chatItemInfo": .itemInfo(try CoreItemInfo(reader))
    case "apiChat": .page(try CoreItemPage(reader))
    default: nil
    }
  }

  private static func aboutGroup(tag: String, _ reader: CoreReader) throws(CoreShapeError) -> CoreReply? {
    switch tag {
    case "publicGroupCreated":
      .channelCreated(try reader.read("groupInfo"), try reader.read("groupLink"), try reader.list("groupRelays"))
    case "publicGroupCreationFailed": .channelNotCreated(try reader.list("addRelayResults"))
    case "groupRelays": .relays(try reader.read("groupInfo"), try reader.list("groupRelays"))
    case "groupRelaysAdded":
      .relaysAdded(try reader.read("groupInfo"), try reader.read("groupLink"), try reader.list("groupRelays"))
    case "groupRelaysAddFailed": .relaysNotAdded(try reader.list("addRelayResults"))
    case "userDeletedMembers": .membersRemoved(try reader.read("groupInfo"), try reader.list("members"))
    case "membersRoleUser": .roleChanged(try reader.read("groupInfo"), try reader.list("members"))
    case "membersBlockedForAllUser": .blockChanged(try reader.read("groupInfo"), try reader.list("members"))
    case "relayGroupAllowed": .relayAllowed(try reader.read("groupInfo"))
    case "groupLink": .link(try reader.read("groupInfo"), try reader.read("groupLink"))
    case "groupsList": .groups(try reader.list("groups"))
    case "groupMembers": try members(try reader.object("group"))
    case "groupMemberInfo": .member(try reader.read("groupInfo"), try reader.read("member"))
    case "groupInfo": .group(try reader.read("groupInfo"))
    case "groupUpdated": .profileUpdated(from: try reader.read("fromGroup"), to: try reader.read("toGroup"))
    case "groupDeletedUser": .groupDeleted(try reader.read("groupInfo"))
    case "leftMemberUser": .left(try reader.read("groupInfo"))
    default: try aboutJoining(tag: tag, reader)
    }
  }

  private static func aboutJoining(tag: String, _ reader: CoreReader) throws(CoreShapeError) -> CoreReply? {
    switch tag {
    case "connectionPlan": .plan(try reader.read("connLink"), try reader.read("connectionPlan"))
    case "newPreparedChat": .prepared(try reader.object("chat").object("chatInfo").read("groupInfo"))
    case "startedConnectionToGroup": .joinStarted(try reader.read("groupInfo"))
    default: try aboutItem(tag: tag, reader)
    }
  }

  private static func members(_ group: CoreReader) throws(CoreShapeError) -> CoreReply {
    .members(try group.read("groupInfo"), try group.list("members"))
  }

  /// A user in the list of users, where it comes with the number of unread messages.
  private struct UserEntry: CoreReadable {
    let user: CoreUser
    init(_ reader: CoreReader) throws(CoreShapeError) { user = try reader.read("user") }
  }
}
