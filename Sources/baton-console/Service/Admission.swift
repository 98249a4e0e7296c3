internal import Accounts
internal import BatonClient
internal import ControlAPI
internal import NIOConcurrencyHelpers

/// Who may use the console, and for what: never for more than the console itself may do.
struct Admission: Sendable {
  let daemon: Daemon
  let roles: RolesOfUsers
  /// The user whose word about other users is believed: that of a reverse proxy. `nil` if there is none.
  let proxy: UInt32?
  /// Whether nobody may change anything.
  let isReadOnly: Bool
  private let known = NIOLockedValueBox<(change: Bool, at: Double)?>(nil)
  private let users = NIOLockedValueBox<[String: (user: Accounts.User?, at: Double)]>([:])

  /// How long answers of the daemon and of the user database hold, in seconds.
  private static let memory = 20.0
  /// Users that are remembered.
  private static let usersMax = 1000

  init(daemon: Daemon, roles: RolesOfUsers, proxy: UInt32?, isReadOnly: Bool) {
    self.isReadOnly = isReadOnly
    self.daemon = daemon
    self.roles = roles
    self.proxy = proxy
  }

  /// What a user may do; `nil` if it is nothing.
  func role(of user: Accounts.User) async -> Sessions.Role? {
    guard let role = roles.role(of: user) else { return nil }
    guard role == .change, !isReadOnly else { return .view }
    return await mayConsoleChange() ? .change : .view
  }

  /// Whether the daemon lets the console change things. While it does not answer, nobody can change anything.
  private func mayConsoleChange() async -> Bool {
    let now = SessionStore.now.seconds
    if let known = known.withLockedValue({ $0 }), now - known.at < Self.memory { return known.change }
    guard let may = try? await daemon.ask({ try await $0.permissions().change }) else { return false }
    known.withLockedValue { $0 = (may, now) }
    return may
  }

  /// A user of this machine, as its database had them some seconds ago at most.
  func user(named name: String) async -> Accounts.User? {
    let now = SessionStore.now.seconds
    if let known = users.withLockedValue({ $0[name] }), now - known.at < Self.memory { return known.user }
    let user = await Accounts.waitFor { Accounts.user(named: name) }
    users.withLockedValue { users in
      if users.count >= Self.usersMax { users = [:] }
      users[name] = (user, now)
    }
    return user
  }
}
