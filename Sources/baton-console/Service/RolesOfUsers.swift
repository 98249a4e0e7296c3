internal import Accounts

/// What users may do in a console that several share: root and members of one group change things, members of another look.
struct RolesOfUsers: Sendable {
  let changeGroup: UInt32?
  let readGroup: UInt32?

  /// - Returns: `nil` if the user has nothing to do here.
  func role(of user: Accounts.User) -> Sessions.Role? {
    if user.id == 0 || changeGroup.map(user.groups.contains) == true { return .change }
    return readGroup.map(user.groups.contains) == true ? .view : nil
  }
}
