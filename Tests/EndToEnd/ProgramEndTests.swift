import Foundation
import Glibc
import TestTools
import Testing

/// Programs end while their threads still use libraries, so these must not clean up.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramEndTests {
  private static let preload = Result { try Preload("exit_handler") }

  private func environment() throws -> [String: String] { ["LD_PRELOAD": try Self.preload.get().path] }

  /// - Returns: the lines without that of the handlers, and whether they ran.
  private func handled(_ program: Program) async -> (lines: [String], ran: Bool) {
    await program.drained()
    let lines = program.lines.filter { $0 != "the exit handlers run" }
    return (lines, lines.count < program.lines.count)
  }

  @Test func programsThatEndInTheCommonWayRunHandlers() async throws {
    let program = try Program("/usr/bin/env", ["true"], environment: try environment())
    #expect(await program.status() == 0)
    #expect(await handled(program).ran, "what the other tests look for would not be seen")
  }

  /// What was printed arrives all the same, through a pipe too.
  @Test(
    arguments: [
      ("batond", "check-config", 0, "The configuration is valid."),
      ("batond", "check-config --config /nowhere", 78, "/nowhere"),
      ("batond", "run --state-dir /dev/null/x --listen unix:/tmp/baton-end", 77, "/dev/null/x"),
      ("batond", "--help", 0, "rotate-key"),
      ("batond", "--version", 0, "batond "),
      ("batond", "--nonsense", 64, "--nonsense"),
      ("batonctl", "status --socket /nowhere", 69, "/nowhere"),
      ("batonctl", "channel create --help", 0, "--relay"),
      ("batonctl", "chanel", 64, "chanel"),
      ("baton-sandbox", "--help", 0, "foreign-group"),
      ("baton-sandbox", "--relays 0", 64, "--relays must be 1 to 1000"),
      ("baton-console", "--help", 0, "--read-only"),
      ("baton-console", "--socket /nowhere", 69, "/nowhere"),
      ("baton-console", "--public-url x", 64, "is not an address"),
      ("baton", "", 64, "start it under one of these names"),
    ] as [(String, String, Int32, String)])
  func endsWithItsStatusAndWords(_ name: String, _ line: String, _ status: Int32, _ words: String) async throws {
    let program = try Program(name, line.split(separator: " ").map(String.init), environment: try environment())
    #expect(await program.status() == status, "\(program.lastWords)")
    let (lines, ran) = await handled(program)
    #expect(!ran)
    #expect(lines.contains { $0.contains(words) }, "\(lines)")
  }

  @Test func daemonConsoleAndClientEndSo() async throws {
    let baton = try Installation(try environment())
    let daemon = try await baton.start()
    let console = try Program("baton-console", ["--socket", baton.socket], environment: try environment())
    try await console.line(containing: "http://")
    let client = try Program("batonctl", ["--socket", baton.socket, "status", "--json"], environment: try environment())
    #expect(await client.status() == 0)
    let answer = await handled(client)
    #expect(!answer.ran && answer.lines.first?.hasPrefix("{") == true, "\(answer.lines)")
    console.signal(SIGTERM)
    #expect(await console.status() == 0, "\(console.lastWords)")
    #expect(await !handled(console).ran)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0, "\(daemon.lastWords)")
    let end = await handled(daemon)
    #expect(!end.ran && end.lines.last?.contains("batond has stopped") == true, "\(end.lines)")
  }

  /// Someone who has no patience: the daemon may end at the first signal, before the second one comes.
  @Test func daemonEndsSoAtOnce() async throws {
    let baton = try Installation(try environment())
    let daemon = try await baton.start()
    daemon.signal(SIGTERM)
    daemon.signal(SIGINT)
    #expect(await daemon.status() == 0, "\(daemon.lastWords)")
    #expect(await !handled(daemon).ran)
  }

  /// A test that fails says where a program crashed, and not which libraries it had.
  @Test func lastWordsSayWhereAProgramCrashed() async throws {
    let report = """
      the last line
      *** Signal 11: Backtracing from 0x55... done ***

      *** Program crashed: Bad pointer dereference at 0x0000000000000008 ***

      Thread 0 "batond":

        0 0x00007f sigsuspend + 65 in libc.so.6
      ...

      Thread 1 "worker" crashed:

        0 0x000055 g(_:) + 16 in batond at /source.swift:2:44
        1 0x000055 f() + 90 in batond at /source.swift:3:24
      ...

      Thread 2 "other":

      Registers:
      Images (35 omitted):
      0x00007f libswiftCore.so
      Backtrace took 22.41s
      """
    let program = try Program("/bin/sh", ["-c", "printf '%s\\n' \"$1\" >&2; kill -SEGV $$", "--", report])
    #expect(await program.status() == -SIGSEGV)
    await program.drained()
    #expect(
      program.lastWords == [
        "the last line", "*** Program crashed: Bad pointer dereference at 0x0000000000000008 ***",
        "Thread 1 \"worker\" crashed:", "  0 0x000055 g(_:) + 16 in batond at /source.swift:2:44",
        "  1 0x000055 f() + 90 in batond at /source.swift:3:24", "...",
      ])
  }
}
