/// The requests of users and admins concerning groups, by the kind of the event (NIP-29).
enum GroupAction: Int, CaseIterable, Sendable {
  case putUser = 9000
  case removeUser = 9001
  case editMetadata = 9002
  case deleteEvent = 9005
  case createGroup = 9007
  case deleteGroup = 9008
  case createInvite = 9009
  case updatePins = 9010
  case joinRequest = 9021
  case leaveRequest = 9022

  /// The kinds that NIP-29 reserves for moderation. Not all have a meaning.
  static let moderationKinds = 9000...9020
  /// The kinds of moderation and of users' own membership: the history from which a group is built.
  static let historyKinds = 9000...9022
  /// The kinds that only the relay itself may write.
  static let stateKinds = 39000...39005
}
