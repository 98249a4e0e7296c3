import Coordinator
import Foundation
import Testing

/// Code, catalog and document know the same kinds of events and the same fields.
struct JournalTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// One entry of the catalog.
  private struct Entry {
    let id: String
    var headers: [String: String] = [:]
    var prose: [String] = []
  }

  private static func catalog() throws -> [Entry] {
    var entries: [Entry] = []
    var isInHeaders = false
    for line in try text("systemd/batond.catalog").split(separator: "\n", omittingEmptySubsequences: false)
    where !line.hasPrefix("#") {
      if line.hasPrefix("-- ") {
        entries.append(Entry(id: String(line.dropFirst(3))))
        isInHeaders = true
      } else if !entries.isEmpty {
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        if isInHeaders, parts.count == 2 {
          entries[entries.count - 1].headers[parts[0]] = parts[1].trimmingCharacters(in: .whitespaces)
        } else {
          isInHeaders = false
          entries[entries.count - 1].prose.append(String(line))
        }
      }
    }
    return entries
  }

  /// Fields that the code writes.
  private static func fields() throws -> Set<String> {
    var fields: Set<String> = []
    for folder in ["Sources/Coordinator", "Sources/ControlServer"].map({ root.appendingPathComponent($0) }) {
      for case let name as String in FileManager.default.enumerator(atPath: folder.path) ?? .init()
      where name.hasSuffix(".swift") {
        let code = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        for match in code.matches(of: /"(BATON_[A-Z_]+)"/) { fields.insert(String(match.1)) }
      }
    }
    for file in ["Run", "SharedSession"] {
      for match in try text("Sources/batond/\(file).swift").matches(of: /"(BATON_[A-Z_]+)"/) { fields.insert(String(match.1)) }
    }
    return fields
  }

  /// journald drops what exceeds its limit, by default 10,000 entries in 30 seconds; a creation makes about a dozen.
  @Test func theServiceMayWriteAsMuchAsItPromises() throws {
    let unit = try Self.text("systemd/batond.service")
    let burst = try #require(unit.firstMatch(of: /\nLogRateLimitBurst=([0-9]+)\n/)?.1)
    let seconds = try #require(unit.firstMatch(of: /\nLogRateLimitIntervalSec=([0-9]+)s\n/)?.1)
    #expect(try #require(Int(burst)) / #require(Int(seconds)) >= 20_000)
  }

  /// Each of its threads wants a priority, which the daemon may not change; that must not be a line in the journal each time.
  @Test func theRuntimeHasNothingToComplainAbout() throws {
    let unit = try Self.text("systemd/batond.service")
    let forbidden = try #require(unit.range(of: "\nSystemCallFilter=~@privileged @resources\n"))
    let ignored = try #require(unit.range(of: "\nSystemCallFilter=~setpriority:0\n"), "0: it succeeds and does nothing")
    #expect(forbidden.lowerBound < ignored.lowerBound, "later lines count")
  }

  @Test func everyKindOfEventIsInTheCatalogOnce() throws {
    let ids = try Self.catalog().map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(Set(ids) == Set(JournalEvent.allCases.map(\.rawValue)))
  }

  @Test func everyEntryHasASubjectAMeaningAndSomethingToDo() throws {
    let fields = try Self.fields()
    for entry in try Self.catalog() {
      #expect(entry.headers["Subject"]?.isEmpty == false, "\(entry.id)")
      #expect(
        entry.headers["Defined-By"] == "baton" && entry.headers["Documentation"]?.hasPrefix("man:") == true, "\(entry.id)")
      #expect(entry.prose.first == "" && entry.prose.filter { !$0.isEmpty }.count >= 3, "\(entry.id)")
      #expect(entry.prose.allSatisfy { $0.count <= 78 }, "\(entry.id)")
      let all = ([entry.headers["Subject"] ?? ""] + entry.prose).joined(separator: "\n")
      for match in all.matches(of: /@([A-Z_]+)@/) { #expect(fields.contains(String(match.1)), "\(entry.id): \(match.1)") }
    }
  }

  @Test func theDocumentListsEveryKindOfEventAndEveryField() throws {
    let document = try Self.text("docs/journal.md")
    let rows = document.matches(of: /\n\| `([0-9a-f]{32})` \|/).map { String($0.1) }
    #expect(rows.count == Set(rows).count && Set(rows) == Set(JournalEvent.allCases.map(\.rawValue)))
    let fields = try Self.fields()
    #expect(fields.count > 8)
    for field in fields { #expect(document.contains("`\(field)`"), "\(field)") }
    for match in document.matches(of: /BATON_[A-Z_]+/) { #expect(fields.contains(String(match.0)), "\(match.0)") }
    for match in document.matches(of: /MESSAGE_ID=([0-9a-z]+)/) { #expect(JournalEvent(rawValue: String(match.1)) != nil) }
    #expect(document.matches(of: #/\njournalctl /#).count >= 10)
  }
}
