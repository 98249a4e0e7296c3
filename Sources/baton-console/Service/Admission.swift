internal import Accounts
internal import BatonClient
internal import ControlAPI
internal import NIOConcurrencyHelpers

/// The users who have access to the console, and their permissions, which never exceed the permissions of the console itself.
struct Admission: Sendable {
  let daemon: Daemon
  let roles: RolesOfUsers
  /// The user who is trusted to name other users: the reverse proxy's. `nil` without a proxy.
  let proxy: UInt32?
  /// Whether changes are forbidden for everyone.
  let isReadOnly: Bool
  private let known = NIOLockedValueBox<(answer: Result<Bool, any Error>, at: Double)?>(nil)
  private let users = NIOLockedValueBox<[String: (user: Accounts.User?, at: Double)]>([:])

  /// How long replies of the daemon and the user database are kept, in seconds.
  private static let memory = 20.0
  /// How long a failure to get a reply from the daemon is kept, in seconds.
  private static let failureMemory = 3.0
  /// The largest number of users that are kept.
  private static let usersMax = 1000

  init(daemon: Daemon, roles: RolesOfUsers, proxy: UInt32?, isReadOnly: Bool) {
    self.isReadOnly = isReadOnly
    self.daemon = daemon
    self.roles = roles
    self.proxy = proxy
  }

  /// The permissions of a user, or `nil` without access.
  /// - Throws: the error that prevented the daemon from reporting the console's permissions. Only users who could make changes get it.
  func role(of user: Accounts.User) async throws -> Sessions.Role? {
    guard let role = roles.role(of: user) else { return nil }
    guard role == .change, !isReadOnly else { return .view }
    return try await mayConsoleChange() ? .change : .view
  }

  /// Whether a user may look. The daemon is not called.
  func mayLook(_ name: String) async -> Bool { await user(named: name).flatMap(roles.role) != nil }

  /// Whether the daemon lets the console change things.
  private func mayConsoleChange() async throws -> Bool {
    let now = SessionStore.now.seconds
    if let known = known.withLockedValue({ $0 }) {
      let isRefusal = if case .failure = known.answer { true } else { false }
      if now - known.at < (isRefusal ? Self.failureMemory : Self.memory) { return try known.answer.get() }
    }
    let answer: Result<Bool, any Error>
    do {
      answer = .success(try await daemon.ask { try await $0.daemon.permissions().change })
    } catch {
      answer = .failure(error)
    }
    known.withLockedValue { $0 = (answer, SessionStore.now.seconds) }
    return try answer.get()
  }

  /// A user of this machine, as the user database described them at most a few seconds ago.
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
