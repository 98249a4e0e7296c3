import Foundation
import TestSupport
import Testing

@testable import DaemonProgram

/// The manual page and the example file follow from the code. `BATON_REWRITE=1 scripts/test BatondTests --filter ReferenceTests` writes both.
struct ReferenceTests {
  private static let isRewriting = ProcessInfo.processInfo.environment["BATON_REWRITE"] == "1"

  @Test func everyOptionIsInTheManualAsTheCodeHasIt() throws {
    let path = Program.repository + "/docs/man/batond.yaml.5"
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let begin = ".\\\" Options: written by ReferenceTests\n"
    let start = try #require(page.range(of: begin))
    let end = try #require(page.range(of: ".\\\" Options: end\n"))
    let rewritten = page[..<start.upperBound] + OptionReference.manual + page[end.lowerBound...]
    if Self.isRewriting { try String(rewritten).write(toFile: path, atomically: true, encoding: .utf8) }
    #expect(Self.isRewriting || page == rewritten, "BATON_REWRITE=1 scripts/test BatondTests --filter ReferenceTests writes it")
  }

  @Test func theExampleHasEveryOptionWithItsDefault() async throws {
    let path = Program.repository + "/etc/batond.yaml.example"
    if Self.isRewriting { try OptionReference.example.write(toFile: path, atomically: true, encoding: .utf8) }
    let example = try String(contentsOfFile: path, encoding: .utf8)
    #expect(example == OptionReference.example, "BATON_REWRITE=1 scripts/test BatondTests --filter ReferenceTests writes it")
    // As it is, it changes nothing; without the marks of comments it says what holds anyway.
    let options = example.replacing(/#([a-zA-Z]+:)/) { String($0.1) }
    for (text, count) in [(example, 0), (options, Setting.all.count { !$0.fallback.isEmpty })] {
      let known = try CheckedYAML(text: text, providerName: "example")
      #expect(known.description == "example[\(count) values]")
    }
  }
}
