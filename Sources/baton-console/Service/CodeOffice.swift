internal import Accounts
internal import Foundation
internal import Glibc
internal import Logging
internal import NIOConcurrencyHelpers
internal import Varlink

/// Gives codes to users of this machine, on a separate socket. Someone who forwards the socket with the pages to another machine does not
/// forward this one, so no one there can sign in as a user of this machine.
struct CodeOffice: Sendable {
  /// The default socket for requests.
  static let defaultSocket = "/run/baton-console/login"

  let sessions: SessionStore
  let admission: Admission
  /// The address for browsers, without a path at its end, or `nil` if there is no public one.
  let publicURL: PublicURL?
  let logger: Logger
  /// The users who were refused in the last minute, and when.
  private let refused = NIOLockedValueBox<[UInt32: Double]>([:])
  private static let refusedMax = 100
  /// Connections that wait for a reply, in total and of one user.
  private let waiting = NIOLockedValueBox(Places<UInt32>(max: 32, perUserMax: 4))

  init(sessions: SessionStore, admission: Admission, publicURL: PublicURL?, logger: Logger) {
    self.sessions = sessions
    self.admission = admission
    self.publicURL = publicURL
    self.logger = logger
  }

  /// Replies to everyone who connects, until the task is cancelled. The socket must be listening.
  func serve(_ socket: CInt) async {
    await withDiscardingTaskGroup { group in
      for await (connection, uid) in Self.connections(socket) {
        // Users do not wait for each other, because the user database and the daemon may be slow.
        guard waiting.withLockedValue({ $0.take(uid) }) else {
          close(connection)
          continue
        }
        group.addTask {
          let line = await answer(uid)
          waiting.withLockedValue { $0.leave(uid) }
          line.withCString { text in _ = send(connection, text, strlen(text), CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) }
          close(connection)
        }
      }
    }
  }

  /// One line: a code and the address where it is used, or the reason why there is none.
  private func answer(_ uid: UInt32) async -> String {
    guard let user = await Accounts.waitFor({ Accounts.user(id: uid) }), admission.roles.role(of: user) != nil else {
      // Repeated requests of one user do not fill the journal.
      let now = SessionStore.now.seconds
      let isNews = refused.withLockedValue { refused in
        refused = refused.filter { now - $0.value < 60 }
        return refused.count < Self.refusedMax && refused.updateValue(now, forKey: uid) == nil
      }
      if isNews { logger.notice("uid \(uid) may not use the console") }
      return "no you do not have access to the console. Ask root to add you to the group baton-read\n"
    }
    do {
      // The permissions of the session are checked again with each request.
      let role = (try? await admission.role(of: user)) ?? .view
      let code = try sessions.mint(user: user.name, role: role)
      return "ok \(code) \(publicURL?.text ?? "-")\n"
    } catch {
      return "no too many addresses requested. Wait a minute\n"
    }
  }

  /// Connections as they arrive, with the user at the other end.
  private static func connections(_ socket: CInt) -> AsyncStream<(CInt, UInt32)> {
    AsyncStream(bufferingPolicy: .bufferingOldest(64)) { continuation in
      // A separate thread, because accepting blocks.
      Thread {
        while true {
          let connection = accept(socket, nil, nil)
          if connection < 0 {
            // The process owns the socket as long as it lives. Other errors pass, such as a lack of descriptors.
            if errno == EBADF || errno == EINVAL || errno == ENOTSOCK { break }
            if errno != EINTR, errno != ECONNABORTED { usleep(100_000) }
            continue
          }
          guard let uid = VarlinkPeer(socket: connection)?.uid, case .enqueued = continuation.yield((connection, uid)) else {
            close(connection)
            continue
          }
        }
        continuation.finish()
      }
      .start()
    }
  }
}
