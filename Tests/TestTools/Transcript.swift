internal import Foundation

/// Transcript tests: a text file holds commands, a line of dashes and the whole expected output, again and again.
/// `BATON_REWRITE=1 scripts/test TARGET` writes what really came out; the difference is then read like code.
public struct Transcript {
  public struct Block {
    public let commands: [String]
    public let expected: [String]
  }

  private let url: URL
  public let blocks: [Block]
  static let separator = "----"

  /// - Parameter name: file below the folder `Transcripts` beside `file`.
  public init(_ name: String, beside file: String) throws {
    url = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("Transcripts/\(name)")
    let text = try String(contentsOf: url, encoding: .utf8)
    blocks = text.components(separatedBy: "\n\n").compactMap { part in
      let lines = part.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
      guard !lines.isEmpty else { return nil }
      let head = lines.prefix { $0 != Self.separator }
      return Block(commands: Array(head), expected: Array(lines.dropFirst(head.count + 1)))
    }
  }

  /// The first block whose output differs, as text for a failure; nil when all agree.
  /// - Parameter run: the output lines of one block's commands; comment lines begin with `#` and are not passed.
  public func difference(_ run: ([String]) async throws -> [String]) async throws -> String? {
    var outputs: [[String]] = []
    for block in blocks { outputs.append(try await run(block.commands.filter { !$0.hasPrefix("#") })) }
    return try difference(to: outputs)
  }

  /// The same for commands that run without waiting.
  public func difference(_ run: ([String]) throws -> [String]) throws -> String? {
    try difference(to: try blocks.map { try run($0.commands.filter { !$0.hasPrefix("#") }) })
  }

  private func difference(to outputs: [[String]]) throws -> String? {
    var written: [String] = []
    var difference: String?
    for (block, output) in zip(blocks, outputs) {
      written.append((block.commands + [Self.separator] + output).joined(separator: "\n"))
      if output != block.expected, difference == nil {
        difference =
          "\(url.lastPathComponent): after\n\(block.commands.joined(separator: "\n"))\nexpected\n"
          + "\(block.expected.joined(separator: "\n"))\ngot\n\(output.joined(separator: "\n"))"
      }
    }
    guard ProcessInfo.processInfo.environment["BATON_REWRITE"] == "1" else { return difference }
    try (written.joined(separator: "\n\n") + "\n").write(to: url, atomically: true, encoding: .utf8)
    return nil
  }
}
