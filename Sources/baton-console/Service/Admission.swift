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
  /// Whether no one may change anything.
  let isReadOnly: Bool
  private let known = NIOLockedValueBox<(answer: Result<Bool, any Error>, at: Double)?>(nil)
  private let users = NIOLockedValueBox<[String: (user: Accounts.User?, at: Double)]>([:])

  /// How long answers of the daemon and of the user database hold, in seconds.
  private static let memory = 20.0
  /// How long it holds that the daemon does not answer, in seconds.
  private static let failureMemory = 3.0
  /// Users that are remembered.
  private static let usersMax = 1000

  init(daemon: Daemon, roles: RolesOfUsers, proxy: UInt32?, isReadOnly: Bool) {
    self.isReadOnly = isReadOnly
    self.daemon = daemon
    self.roles = roles
    self.proxy = proxy
  }

  /// What a user may do; `nil` if it is nothing.
  /// - Throws: why the daemon does not say what the console may do. Only those get so far who may change things themselves.
  func role(of user: Accounts.User) async throws -> Sessions.Role? {
    guard let role = roles.role(of: user) else { return nil }
    guard role == .change, !isReadOnly else { return .view }
    return try await mayConsoleChange() ? .change : .view
  }

  /// Whether a user may look. The daemon is not asked.
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
      answer = .success(try await daemon.ask { try await $0.permissions().change })
    } catch {
      answer = .failure(error)
    }
    known.withLockedValue { $0 = (answer, SessionStore.now.seconds) }
    return try answer.get()
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
