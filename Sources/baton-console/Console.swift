internal import Accounts
internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import Logging
internal import ProgramEnd
internal import Sentences
internal import Systemd
internal import UnixSignals
internal import Varlink

/// Runs the console, and ends the process.
/// - Parameter arguments: the arguments after the name of the program.
public func runBatonConsole(_ arguments: [String]) async -> Never { await Console.runToEnd(arguments) }

/// The console: pages in a browser, over the control interface.
struct Console: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "baton-console",
    abstract: "Show Baton in a browser",
    discussion: """
      In the foreground the console prints an address that opens once, within two minutes. Press Enter for another address. In \
      the browser you can do what the user who started it may do. The console listens on loopback only. Ctrl-C ends it and all \
      of its sessions. With --service it serves the sockets that systemd hands over. With --login it requests an address from \
      such a service.
      Exit status: 0 done or ended by a signal, 64 usage, 69 the daemon or the service cannot be reached, 71 it cannot \
      listen, 77 not permitted.
      """,
    version: "baton-console \(version)")

  @Option(help: "Path of the control socket. Default: $BATON_SOCKET, else /run/batond/control.", completion: .file())
  var socket: String?
  @Option(
    help: "Port on loopback. Default: a free port, or with --login 8790, the local port forwarded to the service.")
  var port: UInt16?
  @Option(
    name: .customLong("public-url"),
    help: "Address at which a reverse proxy offers the console, such as https://baton.example/console.",
    transform: { text in
      guard let url = PublicURL(text) else {
        throw ValidationError("'\(text)' is not an address such as https://baton.example. Use http only for this machine")
      }
      return url
    })
  var publicURL: PublicURL?
  @Option(
    name: .customLong("metrics-port"),
    help: "Serve the daemon's metrics for Prometheus, without sign-in, at /metrics on this port of loopback.")
  var metricsPort: UInt16?
  @Flag(name: .customLong("read-only"), help: "Allow no changes.") var isReadOnly = false
  @Flag(name: .customLong("service"), help: "Serve the sockets that systemd hands over, for all users with access to Baton.")
  var isService = false
  @Flag(name: .customLong("login"), help: "Print an address of the console service, and exit.") var isLogin =
    false
  @Option(name: .customLong("login-socket"), help: "Socket on which the service gives out addresses.", completion: .file())
  var loginSocket = CodeOffice.defaultSocket
  @Option(
    name: .customLong("proxy-user"),
    help: "User of a reverse proxy whose field X-Remote-User is trusted, with --service.")
  var proxyUser: String?
  @Option(name: .customLong("read-group"), help: "Group whose members can read, with --service.") var readGroup =
    "baton-read"
  @Option(
    name: .customLong("change-group"),
    help: "Group whose members can make the changes that the console itself may make, with --service.")
  var changeGroup = "baton"

  /// The port that documents name for a service used through ssh.
  private static let servicePort: UInt16 = 8790

  func validate() throws {
    guard !(isService && isLogin) else { throw ValidationError("--service and --login exclude each other.") }
    guard !(isLogin && isReadOnly) else {
      throw ValidationError("--login and --read-only exclude each other: set BATON_CONSOLE_OPTIONS of the service instead.")
    }
    if isService, port != nil || metricsPort != nil {
      throw ValidationError("--service excludes --port and --metrics-port: systemd makes the sockets.")
    }
    if !isService, proxyUser != nil { throw ValidationError("--proxy-user needs --service.") }
  }

  func run() async throws {
    if isLogin { return try login() }
    if isService { return try await serve() }
    try await runInForeground()
  }

  // MARK: - In the foreground

  private func runInForeground() async throws {
    LoggingSystem.bootstrap { _ in StandardErrorLogHandler(prefixesPriority: false, level: LogLevelSwitch(.notice)) }
    let daemon = Daemon(socket: BatonClient.path(of: socket))
    let role = try await role(daemon)
    let (sockets, port) = try listen(port ?? 0)
    let metricsSockets = try metricsPort.map { try listen($0).sockets } ?? []
    let house = try House(
      daemon: daemon, publicURL: publicURL, admission: nil,
      signInHelp:
        "Open the address in the console's terminal within two minutes. It works once. Press Enter there for another.")
    let user = Self.userName
    let announce = { @Sendable in
      do {
        let base = publicURL?.text ?? PublicURL.onLoopback(port)
        Self.say("\(base)/login?code=\(try house.sessions.mint(user: user, role: role))")
      } catch {
        FileHandle.standardError.write(Data("too many addresses requested. Wait a minute\n".utf8))
      }
    }
    try await house.run(pages: sockets, metrics: metricsSockets) { group in
      // Programs read only the address from standard output.
      FileHandle.standardError.write(Data(Self.guidance.utf8))
      announce()
      let lines = Self.lines()
      group.addTask { for await _ in lines { announce() } }
    }
  }

  private static let guidance =
    "Open this address in a browser within two minutes. It works once. Enter prints another one, and Ctrl-C ends the console.\n"

  /// The permissions of the user who started the console. This call also shows whether the daemon replies.
  private func role(_ daemon: Daemon) async throws -> Sessions.Role {
    do {
      let may = try await daemon.ask { try await $0.daemon.permissions() }
      guard may.read else {
        throw ending(77, "you do not have access to the console. Ask root to add you to the group baton-read")
      }
      return may.change && !isReadOnly ? .change : .view
    } catch let failure as VarlinkClient.Failure {
      let isForbidden = if case .notPermitted = failure { true } else { false }
      throw ending(isForbidden ? 77 : 69, failure.sentence(at: daemon.socket).text)
    } catch let error as VarlinkError {
      throw ending(error.name == VarlinkError.permissionDenied.name ? 77 : 69, Failures.sentence(error))
    }
  }

  private func listen(_ port: UInt16) throws -> (sockets: [CInt], port: UInt16) {
    do {
      return try Loopback.listen(port: port)
    } catch {
      throw ending(71, "\(error)")
    }
  }

  // MARK: - As a service

  private func serve() async throws {
    let isJournal = Systemd.isStandardErrorJournal
    LoggingSystem.bootstrap { _ in
      guard isJournal else {
        return StandardErrorLogHandler(prefixesPriority: Systemd.isManaged, level: LogLevelSwitch(.info)) as any LogHandler
      }
      return JournalLogHandler(identifier: "baton-console")
    }
    let handed = Systemd.listeners()
    if let open = handed.first(where: { !Loopback.isLocal($0.socket) }) {
      throw ending(
        71, "the socket '\(open.name)' can be reached from other machines. Use a Unix socket or loopback")
    }
    let sockets = Dictionary(grouping: handed, by: { ["login", "metrics", "report"].contains($0.name) ? $0.name : "http" })
      .mapValues { $0.map(\.socket) }
    guard sockets["http"] != nil else { throw ending(71, "systemd handed over no socket. Start baton-console.socket") }
    var proxy: UInt32?
    if let proxyUser {
      guard let user = await Accounts.waitFor({ Accounts.user(named: proxyUser) }) else {
        throw ending(64, "unknown user '\(proxyUser)'")
      }
      proxy = user.id
    }
    let roles = await Accounts.waitFor { [changeGroup, readGroup] in
      RolesOfUsers(changeGroup: Accounts.group(named: changeGroup), readGroup: Accounts.group(named: readGroup))
    }
    guard let roles else { throw ending(71, "cannot read the groups of this machine") }
    let daemon = Daemon(socket: BatonClient.path(of: socket))
    let admission = Admission(daemon: daemon, roles: roles, proxy: proxy, isReadOnly: isReadOnly)
    let house = try House(
      daemon: daemon, publicURL: publicURL, admission: admission,
      signInHelp:
        "On the machine with Baton, run “batonctl console --login” and open the address within two minutes. It works once."
    )
    let office = CodeOffice(sessions: house.sessions, admission: admission, publicURL: publicURL, logger: house.logger)
    let report = try ReportInterface { try await daemon.ask { try await $0.daemon.metrics() } }
    try await house.run(pages: sockets["http"] ?? [], metrics: sockets["metrics"] ?? []) { group in
      for socket in sockets["login"] ?? [] { group.addTask { await office.serve(socket) } }
      if let reports = sockets["report"] { group.addTask { try await report.serve(reports, logger: house.logger) } }
      Systemd.notify("READY=1")
    }
    Systemd.notify("STOPPING=1")
  }

  private func login() throws {
    do {
      Self.say(try AddressRequest.send(to: loginSocket, port: port ?? Self.servicePort))
    } catch .refused(let reason) {
      throw ending(77, reason)
    } catch {
      throw ending(69, "\(error)")
    }
  }

  // MARK: - Helpers

  private func ending(_ status: Int32, _ text: String) -> ExitCode {
    FileHandle.standardError.write(Data("baton-console: \(text)\n".utf8))
    return ExitCode(status)
  }

  private static func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }

  private static var userName: String {
    let name = ProcessInfo.processInfo.userName
    return name.isEmpty ? "user \(getuid())" : name
  }

  /// Lines of standard input, as they come.
  private static func lines() -> AsyncStream<Void> {
    // In the background of a terminal, reading then fails instead of stopping the program.
    signal(SIGTTIN, SIG_IGN)
    return AsyncStream { continuation in
      // A separate thread, because reading a terminal blocks.
      Thread {
        while readLine() != nil { continuation.yield() }
        continuation.finish()
      }
      .start()
    }
  }
}
