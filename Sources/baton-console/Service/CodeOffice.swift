internal import Foundation
internal import Glibc
internal import Logging
internal import NIOConcurrencyHelpers

/// Gives codes to users of this machine, on a socket of its own: whoever forwards the socket with the pages to another machine does not
/// forward this one, so nobody else there can sign in as them.
struct CodeOffice: Sendable {
  /// Where users ask unless they say otherwise.
  static let defaultSocket = "/run/baton-console/login"

  let sessions: SessionStore
  let admission: Admission
  /// The address for browsers, without a path at its end; `nil` if there is no public one.
  let publicURL: PublicURL?
  let logger: Logger
  /// Who was refused in the last minute, and when.
  private let refused = NIOLockedValueBox<[UInt32: Double]>([:])
  private static let refusedMax = 100

  init(sessions: SessionStore, admission: Admission, publicURL: PublicURL?, logger: Logger) {
    self.sessions = sessions
    self.admission = admission
    self.publicURL = publicURL
    self.logger = logger
  }

  /// Answers those who connect, until the task is cancelled. The sockets must listen already.
  func serve(_ socket: CInt) async {
    await withDiscardingTaskGroup { group in
      for await (connection, uid) in Self.connections(socket) {
        // Nobody waits for others: the user database and the daemon may take long.
        group.addTask {
          let line = await answer(uid)
          line.withCString { text in _ = send(connection, text, strlen(text), CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) }
          close(connection)
        }
      }
    }
  }

  /// One line: a code and the address where it is used, or why there is none.
  private func answer(_ uid: UInt32) async -> String {
    guard let account = await Account.find(uid: uid), let role = await admission.role(of: account) else {
      // Whoever asks again and again does not fill the journal.
      let now = SessionStore.now.seconds
      let isNews = refused.withLockedValue { refused in
        refused = refused.filter { now - $0.value < 60 }
        return refused.count < Self.refusedMax && refused.updateValue(now, forKey: uid) == nil
      }
      if isNews { logger.notice("uid \(uid) may not use the console") }
      return "no you may not look at what Baton does; root can put you into the group baton-read\n"
    }
    do {
      let code = try sessions.mint(user: account.name, role: role)
      return "ok \(code) \(publicURL?.text ?? "-")\n"
    } catch {
      return "no too many addresses were asked for; wait a minute\n"
    }
  }

  /// Connections as they come, with the user at the other end.
  private static func connections(_ socket: CInt) -> AsyncStream<(CInt, UInt32)> {
    AsyncStream(bufferingPolicy: .bufferingOldest(64)) { continuation in
      // A thread of its own, because accepting waits.
      Thread {
        while true {
          let connection = accept(socket, nil, nil)
          if connection < 0 {
            // The socket is ours as long as the process lives; all else passes, such as a lack of descriptors.
            if errno == EBADF || errno == EINVAL || errno == ENOTSOCK { break }
            if errno != EINTR, errno != ECONNABORTED { usleep(100_000) }
            continue
          }
          guard let uid = PeerCredentials.user(of: connection), case .enqueued = continuation.yield((connection, uid)) else {
            close(connection)
            continue
          }
        }
        continuation.finish()
      }
      .start()
    }
  }

  // MARK: - For those who ask

  /// Why there is no code.
  enum Failure: Error, CustomStringConvertible {
    case notReachable(String)
    case refused(String)

    var description: String {
      switch self {
      case .notReachable(let reason): reason
      case .refused(let reason): reason
      }
    }
  }

  /// Asks a console that runs as a service for a code.
  /// - Parameters:
  ///   - path: of the socket.
  ///   - port: the port on loopback at which the browser finds the console, where it has no public address.
  static func address(_ path: String, port: UInt16) throws(Failure) -> String {
    let connection = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw .notReachable("the path \(path) is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      let reason = String(cString: strerror(errno))
      throw .notReachable("cannot connect to \(path): \(reason); does baton-console run as a service?")
    }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1024)
    while bytes.count < 4096 {
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { break }
      bytes += chunk.prefix(count)
    }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first?.split(separator: " ", maxSplits: 2) ?? []
    switch words.first {
    case "ok" where words.count == 3:
      let base = words[2] == "-" ? PublicURL.onLoopback(port) : String(words[2])
      return "\(base)/login?code=\(words[1])"
    case "no": throw .refused(words.dropFirst().joined(separator: " "))
    default: throw .notReachable("the program that answers at \(path) is not a console")
    }
  }
}

/// What the kernel says of the other end of a Unix socket.
enum PeerCredentials {
  static func user(of socket: CInt) -> UInt32? {
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, .max, .max)
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0, size == 12 else { return nil }
    return credentials.uid
  }
}
