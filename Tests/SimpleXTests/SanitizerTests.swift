import Channels
import Foundation
import TestTools
import Testing

@testable import SimpleX

/// The C code under AddressSanitizer and UndefinedBehaviorSanitizer. They notice what no other test does: a byte that is read
/// or written where none may be, and memory that no one frees.
@Suite(.timeLimit(.minutes(20)))
struct SanitizerTests {
  private static func compile(_ arguments: [String], to program: String) async throws -> (status: Int32, lines: [String]) {
    let flags = [
      "-std=c17", "-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Wall",
      "-Wextra", "-Werror",
    ]
    // The clang that comes with Swift has the sanitizers; others may have them.
    return try await Program.run("/usr/bin/env", ["clang"] + flags + arguments + ["-o", program])
  }

  /// With what in the environment programs with sanitizers run here; nil: they cannot be compiled, or do not run.
  private static func environment() async throws -> [String: String]? {
    let folder = try TemporaryFolder()
    let (source, program) = (folder.path + "/nothing.c", folder.path + "/nothing")
    try "int main(void) { return 0; }\n".write(toFile: source, atomically: true, encoding: .utf8)
    guard try await compile([source], to: program).status == 0 else { return nil }
    // Some containers do not let the search for leaks look at the process.
    for environment in [[:], ["ASAN_OPTIONS": "detect_leaks=0"]] {
      if try await Program.run(program, [], environment: environment).status == 0 { return environment }
    }
    return nil
  }

  private static let reason: Comment = """
    There is no clang whose AddressSanitizer works. Swift comes with one; Debian's clang needs the package libclang-rt-14-dev.
    """

  @Test(.enabled(reason) { try await environment() != nil })
  func whateverServersSendTouchesOnlyItsOwnMemory() async throws {
    let environment = try #require(try await Self.environment())
    let folder = try TemporaryFolder()
    let library = Program.repository + "/Sources/CTLSClient"
    let program = folder.path + "/fuzz_tls_client"
    let compiled = try await Self.compile(
      [
        "-I", library + "/include", Program.repository + "/Tests/SimpleXTests/c/fuzz_tls_client.c", library + "/certificates.c",
        library + "/tls_client.c", "-lssl", "-lcrypto",
      ], to: program)
    try #require(compiled.status == 0, "\(compiled.lines.joined(separator: "\n"))")

    var arguments = ["3000", "6"]
    func add(_ content: some Sequence<UInt8>, validAt seconds: Int64) throws {
      let path = folder.path + "/\(arguments.count).hello"
      try Data(content).write(to: URL(fileURLWithPath: path))
      arguments += ["\(seconds)", path]
    }
    for seen in try SeenHello.all() { try add(seen.content, validAt: SeenHello.validSeconds) }
    for vector in HelloVector.all {
      let block = vector.block()
      try add(block.dropFirst(2).prefix(Int(block[0]) << 8 | Int(block[1])), validAt: HelloVector.validSeconds)
    }
    let tried = try await Program.run(program, arguments, environment: environment)
    #expect(tried.status == 0, "\(tried.lines.joined(separator: "\n"))")
    #expect(tried.lines == ["4 hellos, 3000 damaged inputs and 94 damaged handshakes"])
  }
}
