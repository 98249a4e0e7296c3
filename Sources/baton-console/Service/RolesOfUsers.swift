internal import Accounts

/// The permissions of users in a shared console: root and members of one group may make changes, members of another group may look.
struct RolesOfUsers: Sendable {
  let changeGroup: UInt32?
  let readGroup: UInt32?

  /// - Returns: `nil` if the user has no access.
  func role(of user: Accounts.User) -> Sessions.Role? {
    if user.id == 0 || changeGroup.map(user.groups.contains) == true { return .change }
    return readGroup.map(user.groups.contains) == true ? .view : nil
  }
}
