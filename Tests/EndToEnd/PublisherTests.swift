import Foundation
import Glibc
import TestTools
import Testing

/// Processes that may only publish.
struct Publishers {
  /// A group of this machine that a test lets publish. No one becomes a member of it: only processes of the test have its number.
  let group: String
  private let number: String

  init() throws {
    let lines = try String(contentsOfFile: "/etc/group", encoding: .utf8).split(separator: "\n")
    let groups = lines.map { $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init) }
    let others: Set<String> = ["baton", "baton-read", "nogroup", "nobody"]
    let found = try #require(groups.first { $0.count == 4 && $0[2] != "0" && !others.contains($0[0]) })
    (group, number) = (found[0], found[2])
  }

  /// Names the group in the configuration, for the next start or reload, and lets other users reach the socket.
  func allow(in baton: Installation) throws {
    try baton.configure("control:\n  publishGroup: \(group)\n")
    chmod(baton.folder.path, 0o755)
  }

  /// Starts a daemon that lets the group publish in the channel News on one relay.
  func start(_ baton: Installation) async throws -> (daemon: Program, sandbox: Program) {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    try allow(in: baton)
    let daemon = try await baton.start()
    try await baton.addRelays(try await sandbox.sandboxRelays(1))
    #expect(try await baton.control("channel", "create", "News").status == 0)
    return (daemon, sandbox)
  }

  /// For Python: becomes a user with these groups and no rights of its own, then runs a command.
  private static let become = """
    import os, sys
    groups, *command = sys.argv[1:]
    os.setgroups([int(group) for group in groups.split()])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    os.execv(command[0], command)
    """

  /// Runs a program as a user who has no rights but those of the group, to its end.
  /// - Parameter isMember: whether the process has the group at all.
  func run(
    _ path: String, _ arguments: [String], isMember: Bool = true, environment: [String: String] = [:]
  ) async throws -> (status: Int32, lines: [String]) {
    try await Program.run(
      "/usr/bin/python3", ["-c", Self.become, isMember ? number : "", path] + arguments, environment: environment)
  }

  /// Runs batonctl as such a user.
  func control(
    _ baton: Installation, _ arguments: [String], isMember: Bool = true
  ) async throws -> (status: Int32, lines: [String]) {
    try await run(Program.products + "/batonctl", arguments + ["--socket", baton.socket], isMember: isMember)
  }
}

extension Installation {
  /// The configuration file.
  fileprivate var file: String { folder.path + "/batond.yaml" }

  /// Writes the configuration file.
  fileprivate func configure(_ yaml: String) throws { try yaml.write(toFile: file, atomically: true, encoding: .utf8) }
}

/// Publishing as a permission of its own: `control.publishGroup`.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PublisherTests {
  private static let unknown = "control:\n  publishGroup: no-such-group-of-baton\n"
  private static let sentence =
    "control.publishGroup must be the name of a group that exists, it is 'no-such-group-of-baton'"

  private func stop(_ daemon: Program) async {
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
  func publisherPublishesAndDoesNothingElse() async throws {
    let publishers = try Publishers()
    let baton = try Installation()
    let (daemon, sandbox) = try await publishers.start(baton)

    let allowed = [
      ["post", "News", "We open at ten."], ["post", "edit", "1", "We open at nine."], ["post", "show", "2", "--actions"],
      ["post", "list", "News", "--relay", "r1"], ["post", "history", "2"], ["post", "retry", "2", "r1"],
      ["post", "News", "Later.", "--at", "+1d"], ["post", "cancel", "3"], ["post", "retry", "3"],
      ["post", "delete", "3", "--reason", "too early"], ["channel", "list"], ["channel", "show", "News"],
      ["channel", "link", "News"], ["status"], ["status", "--json"],
    ]
    for arguments in allowed {
      let done = try await publishers.control(baton, arguments)
      #expect(done.status == 0, "\(arguments): \(done.lines)")
    }
    try await daemon.line(containing: "org.batond.Posts.Publish of post 1 by uid 65534")
    try await daemon.line(containing: "org.batond.Posts.Delete of post 3 by uid 65534")

    let refused = [
      ["channel", "create", "Other", "--relay", "r1"], ["channel", "update", "News", "--description", "Mine"],
      ["channel", "verify", "News"], ["channel", "delete", "News", "--yes"], ["channel", "history", "News"],
      ["relay", "list"], ["relay", "add", "ws://127.0.0.1:9"], ["relay", "test", "r1"], ["server", "list"],
      ["operator", "list"], ["operator", "add", "Bot"], ["identity", "list"], ["watch"], ["validate"], ["reload"],
    ]
    for arguments in refused {
      let denied = try await publishers.control(baton, arguments)
      #expect(denied.status == 77, "\(arguments): \(denied.lines)")
      #expect(denied.lines.contains { $0.contains("permission denied") }, "\(arguments): \(denied.lines)")
    }
    // The same user outside the group.
    for arguments in allowed {
      #expect(try await publishers.control(baton, arguments, isMember: false).status == 77, "\(arguments)")
    }
    let channel = try await baton.control("channel", "list", "--columns", "id")
    #expect(channel.lines.count == 2, "\(channel.lines)")

    await stop(daemon)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  @Test func groupThatDoesNotExistIsAnErrorWithItsPlace() async throws {
    let baton = try Installation()
    try baton.configure(Self.unknown)
    let flaw = "\(baton.file):2:17: \(Self.sentence)"
    let checked = try await Program.run("batond", ["check-config", "--config", baton.file])
    #expect(checked.status == 78 && checked.lines == [flaw], "\(checked.lines)")
    let started = try await Program.run(
      "batond",
      ["run", "--config", baton.file, "--state-dir", baton.folder.path + "/state", "--listen", "unix:" + baton.socket])
    #expect(started.status == 78 && started.lines.last?.contains(flaw) == true, "\(started.lines)")
    try baton.configure("")
    let variable = try await Program.run(
      "batond", ["check-config", "--config", baton.file],
      environment: ["BATON_CONTROL_PUBLISH_GROUP": "no-such-group-of-baton"])
    #expect(variable.status == 78 && variable.lines.last?.contains(Self.sentence) == true, "\(variable.lines)")
  }

  /// As when someone deletes the group while the daemon runs.
  @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
  func groupThatIsGoneLaterFailsAReloadWhichChangesNothing() async throws {
    let publishers = try Publishers()
    let baton = try Installation()
    try publishers.allow(in: baton)
    var daemon = try await baton.start()
    func look() async throws -> Int32 { try await publishers.control(baton, ["channel", "list"]).status }
    #expect(try await look() == 0)

    try baton.configure(Self.unknown)
    let failed = try await baton.control("reload")
    #expect(failed.status == 1, "\(failed.lines)")
    #expect(failed.lines.contains { $0.contains("batond.yaml:2:17: \(Self.sentence)") }, "\(failed.lines)")
    #expect(try await look() == 0)

    // Without the option the group has its rights until the next start.
    try baton.configure("")
    let reload = try await baton.control("reload")
    #expect(
      reload.lines.last == "These take effect at the next start of the daemon: control.publishGroup.", "\(reload.lines)")
    #expect(try await look() == 0)
    await stop(daemon)
    daemon = try await baton.start()
    #expect(try await look() == 77)
    await stop(daemon)
  }
}
