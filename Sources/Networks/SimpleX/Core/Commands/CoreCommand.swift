/// A command to a core. Its text is built from these types only, so that nothing in a
/// name can become another argument or another command.
public enum CoreCommand: Hashable, Sendable {
  /// Asks for the core's version. Answer: `version`.
  case version
  /// Asks which user is active. Answer: `activeUser`, or the error `noActiveUser`.
  case activeUser
  /// Lists the users. Answer: `users`.
  case users
  /// Creates a user, who becomes the active one. Answer: `activeUser`.
  case createUser(name: String)
  /// Asks whether the core receives messages. Answer: `running` or `stopped`.
  case checkRunning
  /// Lists the operators. Answer: `operators`.
  case operators
  /// Lists the servers and relays of a user. Answer: `servers`.
  case servers(CoreUser.ID)
  /// Replaces servers and relays of a user. Answer: `done`, or a command error if the list is not valid.
  case setServers(CoreUser.ID, [CoreServerGroup])
  /// Validates a list as `setServers` would. Answer: `validation`.
  case validateServers(CoreUser.ID, [CoreServerGroup])
  /// Tests a server. Answer: `serverTest`.
  case testServer(CoreUser.ID, CoreServerAddress)
  /// Tests a relay. The core itself waits up to 40 seconds. Answer: `relayTest`.
  case testRelay(CoreUser.ID, CoreRelayAddress)
  /// Creates a channel on all of these relays or not at all. Answer: `channelCreated`, `channelNotCreated`, or an error.
  /// - isIncognito: whether the owner gets a random name in the channel.
  case createChannel(CoreUser.ID, relays: CoreIDList<CoreRelay>, CoreGroupProfile, isIncognito: Bool = false)
  /// Lists the relays of a channel. Answer: `relays`.
  case relays(CoreGroup.ID)
  /// Invites further relays. A relay that fails must be removed before it can be invited again. Answer: `relaysAdded`, `relaysNotAdded`, or
  /// an error.
  case addRelays(CoreGroup.ID, CoreIDList<CoreRelay>)
  /// Removes members. Relays leave a channel in this way too. Answer: `membersRemoved`.
  case removeMembers(CoreGroup.ID, CoreIDList<CoreMember>, withMessages: Bool = false)
  /// Gives members a role. Answer: `roleChanged`.
  case setRole(CoreGroup.ID, CoreIDList<CoreMember>, CoreMember.Role)
  /// Blocks members for everyone, or unblocks them. Answer: `blockChanged`.
  case block(CoreGroup.ID, CoreIDList<CoreMember>, isBlocked: Bool)
  /// Withdraws a refusal, as the operator of a relay. Answer: `relayAllowed`.
  case allowRelay(CoreGroup.ID)
  /// Asks for the channel's link. Answer: `link`.
  case link(CoreGroup.ID)
  /// Lists the groups and channels of a user that have this text in their names or descriptions, or all, however many. Answer: `groups`.
  case groups(CoreUser.ID, search: CoreSearchText? = nil)
  /// Lists all members, including subscribers, however many. Answer: `members`.
  case members(CoreGroup.ID)
  /// Asks for one member. Answer: `member`, or an error with the tag `groupMemberNotFound`.
  case member(CoreGroup.ID, CoreMember.ID)
  /// Asks for one group or channel. Answer: `group`.
  case info(CoreGroup.ID)
  /// Replaces the profile. The new one must be the current one with changes. Answer: `profileUpdated`.
  case updateProfile(CoreGroup.ID, CoreGroupProfile)
  /// Deletes a group or channel, here and, if `notify`, for its members. Answer: `groupDeleted`.
  case deleteGroup(CoreGroup.ID, notify: Bool = true)
  /// Looks a link up at its server, and finds its relation to the user. Answer: `plan`.
  case plan(CoreUser.ID, CoreChannelLink)
  /// Records a channel to be joined, without joining it. Answer: `prepared`.
  case prepare(CoreUser.ID, CoreJoinLink, CoreLinkData)
  /// Joins a channel that was prepared, under a random name. Answer: `joinStarted`, or an error if no relay could be reached.
  case join(CoreGroup.ID)
  /// Leaves a group. Answer: `left`.
  case leave(CoreGroup.ID)
  /// Sends a message as the channel, to the relays whose connections are ready. The core draws its shared id. It answers before anything is
  /// sent, and sends twice if asked twice. Answer: `itemsSent`, or an error of the kind `item`.
  /// - quoting: the message that it replies to.
  /// - isSigned: proves, and so reveals, which owner wrote it.
  case send(CoreGroup.ID, CoreMessage, quoting: CoreItem.ID? = nil, isSigned: Bool = false)
  /// Edits one of the user's messages of the last 24 hours, mentions included. Answer: `itemUpdated`, or `itemNotChanged` if content and
  /// preview are the same: then nothing is sent.
  case updateItem(CoreGroup.ID, CoreItem.ID, CoreMessage)
  /// Deletes the user's own messages. Answer: `itemsDeleted` with the messages that are there. An event reports the others.
  case deleteItems(CoreGroup.ID, CoreIDList<CoreItem>, CoreItemScope)
  /// Removes other members' messages for everyone, however old they are. Answer: `itemsDeleted`.
  case moderate(CoreGroup.ID, CoreIDList<CoreItem>)
  /// Adds or removes a reaction. Answer: `reaction`, or a command error if it is there, or gone, already.
  case react(CoreGroup.ID, CoreItem.ID, CoreReaction, isAdded: Bool)
  /// Asks for the delivery of a message to each relay. Answer: `itemInfo`.
  case itemInfo(CoreGroup.ID, CoreItem.ID)
  /// Asks for the messages at a place. Answer: `page`.
  /// - count: how many at most, 1 to `CoreItemPage.countMax`.
  case page(CoreGroup.ID, CoreItemPage.Place, count: Int)
}
