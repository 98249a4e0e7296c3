import Channels
import Foundation
import Glibc
import TestTools
import Testing

@testable import SimpleX

/// A core that Baton runs itself: small scripts take the place of the program.
@Suite(.timeLimit(.minutes(10)))
struct CoreProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// - Returns: the path of a program that is this script.
  private func program(_ script: String) throws -> String {
    let path = folder.path + "/core-" + UUID().uuidString
    // Written by another process: a descriptor of ours that is open for writing could be inherited by a child of another test, and the
    // kernel runs no program that someone writes.
    try ("#!/bin/sh\n" + script).write(toFile: path + ".text", atomically: true, encoding: .utf8)
    #expect(try Program.runAndWait("/usr/bin/install", ["-m", "755", path + ".text", path]) == 0)
    return path
  }

  /// Does nothing until it is told to end.
  private static let forever = "exec tail -f /dev/null\n"

  private func process(
    _ program: String, _ log: LogLines, extraArguments: [String] = [], _ change: (inout CoreProcessLimits) -> Void = { _ in }
  ) throws -> CoreProcess {
    var limits = CoreProcessLimits()
    (limits.restartFirst, limits.restartMax, limits.stopGrace) = (.milliseconds(1), .milliseconds(4), .seconds(120))
    change(&limits)
    return try CoreProcess(
      program: program, database: "/nowhere/core", displayName: "The owner", port: 5225, extraArguments: extraArguments,
      limits: limits, logger: log.logger)
  }

  @Test func coreGetsItsOptionsAndNothingElseOfTheDaemon() async throws {
    // As a daemon does with the signals that it waits for.
    signal(SIGUSR2, SIG_IGN)
    let log = LogLines()
    let program = try program(
      """
      for word in "$@"; do printf '<%s>' "$word"; done; echo
      read line || echo no input
      echo "group $(cut -d' ' -f5 /proc/$$/stat) of $$"
      echo ignored $(grep SigIgn /proc/self/status)
      echo descriptors $(ls /proc/self/fd)
      echo names $(env | cut -d= -f1 | sort)
      echo that is all >&2
      """ + "\n" + Self.forever)
    let core = try process(program, log, extraArguments: ["-l", "error"])
    let task = Task { await core.run() }
    await log.first(containing: "that is all")
    task.cancel()
    await task.value
    let pid = try #require(log.all[0].firstMatch(of: /process ([0-9]+), port 5225/)?.1)
    #expect(log.all[1] == "info: chat core: <-d></nowhere/core><-p><5225><-y><--user-display-name=The owner><-l><error>")
    #expect(log.all[2] == "info: chat core: no input")
    #expect(log.all[3] == "info: chat core: group \(pid) of \(pid)")
    let ignored = try #require(log.all[4].split(separator: " ").last.flatMap { UInt64($0, radix: 16) })
    #expect(ignored & 0x7FFF_FFFF == 0, "but the two that belong to the C library: \(log.all[4])")
    #expect(log.all[5] == "info: chat core: descriptors 0 1 2 3", "the third is that of ls")
    #expect(!log.all[6].contains("BATON") && !log.all[6].contains("CREDENTIALS") && log.all[6].contains("LC_ALL"))
    #expect(log.all.last == "notice: the chat core has ended")
    #expect(kill(try #require(Int32(pid)), 0) != 0, "nothing is left behind")
  }

  @Test func commandsThatTheCoreEchoesAreNotLogged() async throws {
    let log = LogLines()
    let program = try program(
      """
      echo 'received command "1" : "/_server test 1 smp://LcJU:s3cret@smp.example"'
      printf '\\033[32mgreen\\033[0m\\n'
      echo 'half of one s3cret@smp.example","preset":false'
      head -c 100000 /dev/zero | tr '\\0' s; echo
      printf 'without an end'
      """)
    let core = try process(program, log)
    let task = Task { await core.run() }
    await log.first(containing: "was started", from: log.first(containing: "It is started again") + 1)
    task.cancel()
    await task.value
    #expect(log.all[1] == "info: chat core: [32mgreen [0m")
    #expect(log.all[2] == "info: chat core: without an end")
    #expect(log.all[3].hasSuffix(". Its last output was: without an end"))
    #expect(!log.all.joined().contains("s3cret"))
  }

  @Test func coreThatEndsIsStartedAgain() async throws {
    let log = LogLines()
    let core = try process(try program("echo trouble; exit 3\n"), log) { $0.noticeLinesMax = 0 }
    let task = Task { await core.run() }
    var index = -1
    for _ in 1...3 { index = await log.first(containing: "was started", from: index + 1) }
    task.cancel()
    await task.value
    #expect(log.all[1] == "debug: chat core: trouble")
    let end = try Regex(
      "warning: the chat core ended with status 3 after (less than a second|[0-9]+ s). It is started again in [0-9]+ ms. Its last output was: trouble"
    )
    #expect(log.all[2].wholeMatch(of: end) != nil, "\(log.all[2])")
  }

  @Test func signalThatEndedTheCoreIsNamed() async throws {
    let log = LogLines()
    let core = try process(try program("kill -SEGV $$\n"), log)
    let task = Task { await core.run() }
    await log.first(containing: "was ended by signal 11 (Segmentation fault)")
    task.cancel()
    await task.value
  }

  @Test func coreThatDoesNotEndIsKilled() async throws {
    let log = LogLines()
    // What is ignored stays so for the program that takes the shell's place.
    let core = try process(try program("trap '' TERM; echo here\n" + Self.forever), log) {
      $0.stopGrace = .milliseconds(20)
    }
    let task = Task { await core.run() }
    await log.first(containing: "here")
    task.cancel()
    await task.value
    #expect(log.all.last == "warning: the chat core did not end within 20 ms and was killed")
  }

  @Test func whatTheCoreStartedItselfIsNotWaitedFor() async throws {
    let log = LogLines()
    let program = try program("sleep 600 & echo \"it started $!\"; exit 0\n")
    let core = try process(program, log) { ($0.restartFirst, $0.restartMax) = (.seconds(600), .seconds(600)) }
    let task = Task { await core.run() }
    await log.first(containing: "ended with status 0")
    // Nor is the wait.
    task.cancel()
    await task.value
    let other = try #require(log.all[1].firstMatch(of: /it started ([0-9]+)/).flatMap { Int32($0.1) })
    #expect(kill(other, SIGKILL) == 0)
  }

  @Test func programThatIsNotThereIsTriedAgain() async throws {
    let log = LogLines()
    let core = try process("/nowhere/simplex-chat", log)
    let task = Task { await core.run() }
    let first = await log.first(containing: "cannot be started")
    await log.first(containing: "cannot be started", from: first + 1)
    task.cancel()
    await task.value
    #expect(
      log.all[0].hasPrefix(
        "error: the chat core /nowhere/simplex-chat cannot be started: No such file or directory. The next try"))
  }

  @Test func coreThatIsCancelledBeforeItRunsNeverRuns() async throws {
    let log = LogLines()
    let core = try process(try program(Self.forever), log)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await core.run()
    }
    await task.value
    #expect(log.all.isEmpty)
  }

  /// What the daemon leaves behind when it is killed itself.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"), "setpriv of util-linux is missing"))
  func coreEndsWithWhoStartedIt() async throws {
    let program = try program("echo here\n" + Self.forever)
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reader, writer) = (ends[0], ends[1])
    // A program that no one listens to any more may end for that.
    defer { for end in [reader, writer] { close(end) } }
    let pid: pid_t = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let pid = try CoreSpawn.start([program], output: writer)
            // By its first word the program is bound to this thread, which then ends.
            var byte: UInt8 = 0
            try #require(read(reader, &byte, 1) == 1)
            return pid
          })
      }
    }
    let status: CInt = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        var status: CInt = 0
        waitpid(pid, &status, 0)
        continuation.resume(returning: status)
      }
    }
    #expect(status & 0x7F == SIGTERM)
  }

  // MARK: - Without a process

  @Test func waitsGrowAndBeginAnewAfterAGoodRun() {
    let limits = CoreProcessLimits()
    var restart = CoreRestart(limits: limits, salt: 7)
    var now = Timestamp(milliseconds: 1_000_000)
    func run(_ time: Duration) -> Duration {
      restart.started(at: now)
      now = now + time
      let (ran, wait) = restart.ended(at: now)
      #expect(ran == time)
      now = now + wait
      return wait
    }
    func isAbout(_ wait: Duration, _ pace: Duration) -> Bool { wait >= pace * 4 / 5 && wait <= pace * 6 / 5 }
    for pace in [1, 2, 4, 8, 16, 32, 60, 60] { #expect(isAbout(run(.zero), .seconds(pace)), "\(pace) s") }
    #expect(isAbout(run(.seconds(59)), .seconds(60)), "not long enough")
    #expect(isAbout(run(.seconds(60)), .seconds(1)))
    #expect(isAbout(run(.seconds(1)), .seconds(2)))
    var other = CoreRestart(limits: limits, salt: 8)
    var same = CoreRestart(limits: limits, salt: 7)
    let (waits, others, again) = (
      (0..<5).map { _ in restart.ended(at: now).wait }, (0..<5).map { _ in other.ended(at: now).wait },
      (0..<5).map { _ in same.ended(at: now).wait }
    )
    #expect(waits != others && again != others)
    // A clock that went back is no long run, and no negative one.
    restart.started(at: now)
    #expect(restart.ended(at: Timestamp(milliseconds: 0)).ran == .zero)
  }

  @Test(arguments: [
    (#"received command "12" : "/v""#, nil), (#"client connectedreceived command "12" : "/v""#, nil),
    (#"ss:word@smp.example","preset":false"#, nil), (#"/_servers 1 [{"operator""#, nil), (#"[{\"smpServers\":[]"#, nil),
    ("/_set alias 4 someone", nil), ("", nil), (" \t\r", nil), ("client connected\r", "client connected"),
    ("cannot reach smp://LcJU:s3cret@smp.example now", "cannot reach smp://LcJU:***@smp.example now"),
    ("a\u{1B}]0;title\u{7}b\u{202E}c", "a ]0;title b c"),
  ])
  func linesAreShownOrNot(_ line: String, _ shown: String?) { #expect(CoreOutput.shown(line) == shown) }

  @Test func linesMayComeInPiecesAndLongOnesAreLeftOut() {
    var output = CoreOutput()
    #expect(output.take("one\ntw".utf8) == ["one"])
    #expect(output.take("o\n\nthree".utf8) == ["two"])
    #expect(output.finish() == "three" && output.finish() == nil)
    #expect(output.take(repeatElement(UInt8(ascii: "x"), count: 100_000)) == [])
    #expect(output.take("x\nfour\n\u{FF}\n".utf8).first == "four")
    #expect(CoreOutput.shown(String(repeating: "long ", count: 800)).map { $0.utf8.count <= 510 } == true)
  }

  @Test func whatCannotWorkOrIsSecretIsRefused() {
    func refusal(port: Int = 5225, name: String = "owner", _ arguments: String...) -> String? {
      do throws(CoreProcess.Refusal) {
        _ = try CoreProcess(
          program: "simplex-chat", database: "db", displayName: name, port: port, extraArguments: arguments,
          logger: LogLines().logger)
        return nil
      } catch { return error.description }
    }
    #expect(refusal("-l", "error") == nil)
    #expect(refusal(port: 0)?.contains("1 to 65535") == true)
    #expect(refusal(name: "")?.contains("display name") == true)
    #expect(refusal("a\0b")?.contains("NUL") == true)
    for arguments in [["-k", "x"], ["-kx"], ["--key=x"]] { #expect(refusal(arguments[0])?.contains("database key") == true) }
    let fingerprint = "LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI="
    #expect(refusal("-s", "smp://\(fingerprint)@smp.example") == nil)
    let secret = "smp://\(fingerprint):s3cret@smp.example"
    #expect(refusal("-s", secret)?.contains("password") == true)
    #expect(refusal("--server=\(secret)")?.contains("password") == true)
    #expect(refusal("-s", "smp://\(fingerprint)@smp.example;\(secret)")?.contains("password") == true)
  }
}
