import Foundation
import Testing

/// docs/errors.md lists the errors that the interfaces declare, with the sentences of the code.
struct ErrorTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The files of a folder with this ending, by name.
  private static func names(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
      .filter { $0.hasSuffix(ending) }.sorted()
  }

  /// One row of a table.
  private struct Row {
    let error: String
    let interfaces: [String]
    let sentence: String
  }

  private static func rows() throws -> [Row] {
    try text("docs/errors.md").matches(of: /\n\| `([A-Z][A-Za-z]*)` \| ([^|\n]+) \| ([^|\n]+) \|/).map { row in
      Row(
        error: String(row.1), interfaces: row.2.split(separator: ", ").map(String.init),
        sentence: String(row.3).replacing("`", with: ""))
    }
  }

  @Test func everyDeclaredErrorIsListedOnce() throws {
    let folder = "Sources/ControlAPI/interfaces"
    var declared: [String: [String]] = [:]
    for name in try Self.names(in: folder, ending: ".varlink") {
      let interface = String(name.dropLast(".varlink".count)).replacing("org.batond.", with: "")
      for match in try Self.text("\(folder)/\(name)").matches(of: /\nerror ([A-Za-z]+)/) {
        declared[String(match.1), default: []].append(interface)
      }
    }
    #expect(declared.count > 50)
    let rows = try Self.rows()
    #expect(Set(rows.map(\.error)).symmetricDifference(declared.keys).sorted() == [])
    #expect(rows.count == declared.count, "an error has two rows")
    for row in rows { #expect(row.interfaces == declared[row.error], "\(row.error) in docs/errors.md") }
  }

  /// The parts of each sentence between its blanks stand in Sources/Sentences.
  @Test func sentencesAreThoseOfTheCode() throws {
    let code = try Self.names(in: "Sources/Sentences", ending: ".swift").map { try Self.text("Sources/Sentences/\($0)") }
      .joined()
    // Those of missing objects are put together from the kind of the object; one is the daemon's reason and nothing else.
    for row in try Self.rows() where !row.error.hasPrefix("NoSuch") && row.error != "NetworkUnavailable" {
      for part in row.sentence.split(separator: /…|[;:.][ ]/) {
        let words = part.trimmingCharacters(in: CharacterSet(charactersIn: " :,'"))
        #expect(words.count < 4 || code.contains(words), "\(row.error) in docs/errors.md: '\(words)'")
      }
    }
  }
}
