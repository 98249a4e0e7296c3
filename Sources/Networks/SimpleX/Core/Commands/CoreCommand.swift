/// What Baton asks of a core. The text of a command is made from these types only, so that nothing in a
/// name can become another argument or another command.
public enum CoreCommand: Hashable, Sendable {
  /// Which version the core is. Answer: `version`.
  case version
  /// Who is active. Answer: `activeUser`, or the error `noActiveUser`.
  case activeUser
  /// Answer: `users`.
  case users
  /// A new user, who becomes the active one. Answer: `activeUser`.
  case createUser(name: String)
  /// Starts what receives messages. Answer: `started` or `running`.
  case start
  /// Answer: `running` or `stopped`.
  case checkRunning
  /// Answer: `operators`.
  case operators
  /// Servers and relays of a user. Answer: `servers`.
  case servers(CoreUser.ID)
  /// Replaces servers and relays of a user. Answer: `done`, or a command error when the list is not valid.
  case setServers(CoreUser.ID, [CoreServerGroup])
  /// Says what `setServers` would find. Answer: `validation`.
  case validateServers(CoreUser.ID, [CoreServerGroup])
  /// Tries a server. Answer: `serverTest`.
  case testServer(CoreUser.ID, CoreServerAddress)
  /// Tries a relay; the core itself waits up to 40 seconds. Answer: `relayTest`.
  case testRelay(CoreUser.ID, CoreRelayAddress)
  /// A new channel on these relays, all or nothing. Answer: `channelCreated`, `channelNotCreated`, or an error.
  /// - isIncognito: the owner takes a random name in the channel.
  case createChannel(CoreUser.ID, relays: CoreIDList<CoreRelay>, CoreGroupProfile, isIncognito: Bool = false)
  /// Answer: `relays`.
  case relays(CoreGroup.ID)
  /// Invites further relays. Those that fail block their number. Answer: `relaysAdded`, `relaysNotAdded`, or an error.
  case addRelays(CoreGroup.ID, CoreIDList<CoreRelay>)
  /// Removes members; a relay leaves a channel that way too. Answer: `membersRemoved`.
  case removeMembers(CoreGroup.ID, CoreIDList<CoreMember>, withMessages: Bool = false)
  /// A relay's operator takes a refusal back. Answer: `relayAllowed`.
  case allowRelay(CoreGroup.ID)
  /// The channel's link. Answer: `link`.
  case link(CoreGroup.ID)
  /// Groups and channels of a user: those with this text in their names or descriptions, or all, however many. Answer: `groups`.
  case groups(CoreUser.ID, search: CoreSearchText? = nil)
  /// All members, subscribers among them, however many. Answer: `members`.
  case members(CoreGroup.ID)
  /// One member. Answer: `member`, or an error with the tag `groupMemberNotFound`.
  case member(CoreGroup.ID, CoreMember.ID)
  /// One group or channel. Answer: `group`.
  case info(CoreGroup.ID)
  /// Replaces what readers see; must be the present profile with changes. Answer: `profileUpdated`.
  case updateProfile(CoreGroup.ID, CoreGroupProfile)
  /// Deletes a group or channel, here and, if `notify`, for its members. Answer: `groupDeleted`.
  case deleteGroup(CoreGroup.ID, notify: Bool = true)
  /// Answer: `left`.
  case leave(CoreGroup.ID)
}
