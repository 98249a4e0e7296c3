import Glibc
import TestTools
import Testing

/// The fate of programs when the tests that started them are killed.
@Suite(.timeLimit(.minutes(10)))
struct LeftoversTests {
  /// A program that ends only on request, with another process in the same group.
  private static let pair = ["-c", "tail -f /dev/null & echo here $!; tail -f /dev/null"]

  @Test func whatIsLeftEndsWithTheRun() async throws {
    let leftovers = try Leftovers()
    let (left, over) = (try Program("/bin/sh", Self.pair), try Program("/bin/sh", Self.pair))
    for program in [left, over] {
      try await program.line(containing: "here")
      leftovers.began(program.pid)
    }
    leftovers.ended(over.pid)
    // This is the state after the last process that could say more is gone.
    leftovers.close()
    #expect(await left.status() == -SIGQUIT)
    #expect(kill(over.pid, 0) == 0)
    over.signal(SIGTERM)
    #expect(await over.status() == -SIGTERM)
  }

  @Test func whatDoesNotHeedIsKilled() async throws {
    let leftovers = try Leftovers()
    let program = try Program("/bin/sh", ["-c", "trap '' QUIT; echo here; tail -f /dev/null"])
    _ = try await program.line(containing: "here")
    leftovers.began(program.pid)
    leftovers.close()
    #expect(await program.status() == -SIGKILL)
  }

  /// A test that ends also ends the processes that its program started.
  @Test func programTakesItsGroupAlong() async throws {
    let child: Int32
    do {
      let program = try Program("/bin/sh", Self.pair)
      child = try #require(Int32(try await program.line(containing: "here").dropFirst(5)))
      #expect(kill(child, 0) == 0)
    }
    // The process that adopted it frees its number.
    while kill(child, 0) == 0, !Self.isOver(child) { await Task.yield() }
  }

  /// A socket that a program kept would stay open for as long as the program runs, whatever becomes of its other end.
  @Test func programsInheritNothingThatIsOpenedMeanwhile() async throws {
    let opener = Task.detached {
      while !Task.isCancelled {
        let sockets = (0..<64).map { _ in socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) }
        for descriptor in sockets where descriptor >= 0 { close(descriptor) }
        await Task.yield()
      }
    }
    for _ in 0..<40 {
      let lines = try await Program.run("/bin/ls", ["/proc/self/fd"]).lines
      #expect(lines == ["0", "1", "2", "3"], "the last is that of ls")
    }
    opener.cancel()
    await opener.value
  }

  /// Whether a process has ended, although its number may still be taken.
  private static func isOver(_ pid: Int32) -> Bool {
    guard let file = fopen("/proc/\(pid)/stat", "r") else { return true }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    guard fgets(&line, 512, file) != nil else { return true }
    return String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).contains(") Z ")
  }
}
