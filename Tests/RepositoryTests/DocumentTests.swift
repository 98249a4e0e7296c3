import Foundation
import Testing

/// Comments and documents cite what is there, and say what is true of the package.
struct DocumentTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let ownName = "Tests/RepositoryTests/DocumentTests.swift"

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  /// All texts that people write here, by path from the root, except this file, which names what it forbids.
  private static func texts() -> [(path: String, text: String)] {
    var paths = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "Package.swift"]
    for folder in ["Sources", "Tests", "Benchmarks", "docs", "examples", "scripts", "systemd", "packaging", "etc"] {
      let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
      for case let name as String in names ?? .init() where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
        paths.append(folder + "/" + name)
      }
    }
    // Files that are not text, such as compiled Python, cite nothing.
    return paths.filter { $0 != ownName }.compactMap { path in (try? text(path)).map { (path, $0) } }
  }

  // MARK: - Citations

  /// Words that occur in citations of pages that are not here. They are looked for first, because that is quick.
  private static let signs = ["acts on ", ".md", "§", "shared/"]

  /// The places where a text cites a page that readers of the repository do not have.
  private static func foreignCitations(in text: String) -> [Substring] {
    guard signs.contains(where: { text.contains($0) }) else { return [] }
    return text.split(separator: "\n").filter { line in
      guard signs.contains(where: { line.contains($0) }) else { return false }
      // Sections are those of public specifications: pages here are cited by their headings.
      if line.contains("§"), !line.contains(/\b(?:RFC [0-9]+|FIPS [0-9-]+)[^§]{0,3}§/) { return true }
      return line.contains(/\b[Ff]acts on [A-Z]/) || line.contains(/\b(?:ANCHORS|CONTROL|DESIGN|STYLE)\.md\b/)
        || line.contains(/\bshared\/(?:design|facts|reviews)\b/)
    }
  }

  @Test func nothingCitesWhatIsNotHere() {
    let texts = Self.texts()
    #expect(texts.count > 500)
    for file in texts {
      for line in Self.foreignCitations(in: file.text) {
        Issue.record("\(file.path): '\(line.prefix(140))': cite a section of docs/design, or say it here")
      }
    }
  }

  @Test(arguments: [
    ("/// Taken as it is (facts on Nostr, §2.1).", false), ("/// The rules (DESIGN §4).", false),
    ("// See CONTROL.md for the names.", false), ("/// As §3 has it.", false), ("// ../shared/facts/x", false),
    ("/// Base64url (RFC 4648 §5).", true), ("/// The facts about a handshake.", true),
    ("/// See docs/design/nostr.md#publishing.", true),
  ])
  func foreignCitationsAreRecognised(_ line: String, _ isFine: Bool) {
    #expect(Self.foreignCitations(in: line).isEmpty == isFine)
  }

  /// The name of a heading in a link, as forges make it.
  private static func anchor(_ heading: some StringProtocol) -> String {
    String(heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 })
  }

  private static func anchors(_ text: String) -> Set<String> {
    var anchors: Set<String> = []
    var isInCode = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("```") { isInCode.toggle() }
      guard !isInCode, let match = line.firstMatch(of: /^#{1,6} (.+)$/) else { continue }
      anchors.insert(anchor(match.1))
    }
    return anchors
  }

  /// The error in a place that is named as `docs/page.md#heading`; nil if there is none.
  private static func fault(in place: String) -> String? {
    let parts = place.split(separator: "#", maxSplits: 1).map(String.init)
    guard let path = parts.first, exists(path) else { return "there is no \(place)" }
    guard parts.count == 2 else { return nil }
    guard let page = try? text(path), anchors(page).contains(parts[1]) else { return "\(path) has no heading for #\(parts[1])" }
    return nil
  }

  /// Pages and sections that comments name as `docs/…md#heading`.
  @Test func pagesAndSectionsThatAreNamedExist() {
    var count = 0
    for file in Self.texts() {
      for match in file.text.matches(of: /\bdocs\/[A-Za-z0-9_\/-]+\.md(?:#[a-z0-9_-]+)?/) {
        count += 1
        if let fault = Self.fault(in: String(match.0)) { Issue.record("\(file.path): \(fault)") }
      }
    }
    #expect(count > 40)
  }

  /// Links from page to page, and files that pages name.
  @Test func pagesLeadSomewhere() {
    var links = 0
    for file in Self.texts() where file.path.hasSuffix(".md") {
      let folder = file.path.split(separator: "/").dropLast().map(String.init)
      for match in file.text.matches(of: /\]\(([^)\s]+)\)/) where !match.1.contains("://") {
        links += 1
        var place = match.1.hasPrefix("#") ? file.path.split(separator: "/").map(String.init) : folder
        for part in match.1.prefix(while: { $0 != "#" }).split(separator: "/") {
          if part == ".." { _ = place.popLast() } else { place.append(String(part)) }
        }
        let heading = match.1.drop { $0 != "#" }
        if let fault = Self.fault(in: place.joined(separator: "/") + heading) { Issue.record("\(file.path): \(fault)") }
      }
      for match in file.text.matches(of: /`((?:Sources|Tests|Benchmarks|docs|examples|scripts|systemd)\/[A-Za-z0-9_+.\/-]+)`/) {
        #expect(Self.exists(String(match.1)), "\(file.path) names \(match.1)")
      }
    }
    #expect(links > 50)
  }

  // MARK: - Modules

  private struct Module: Hashable {
    var name = ""
    let folder: String
    let uses: Set<String>
  }

  /// The modules of Package.swift that are not for tests.
  private static func modules() throws -> [Module] {
    // Comments, and products of other packages, name no modules of ours.
    let text = try text("Package.swift").replacing(/\/\/[^\n]*/, with: "").replacing(/\.product\([^)]*\)/, with: "")
    let list = try #require(text.firstRange(of: "\n  targets: [")).upperBound
    let starts = text[list...].matches(of: /\n    \.(systemLibrary|target|executableTarget|testTarget)\(/)
    var modules: [Module] = []
    for (index, start) in starts.enumerated() where start.1 != "testTarget" {
      let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
      let declaration = text[start.range.upperBound..<end]
      let name = try #require(declaration.firstMatch(of: /\bname: "([^"]+)"/)).1
      let folder = declaration.firstMatch(of: /\bpath: "([^"]+)"/).map { String($0.1) } ?? "Sources/\(name)"
      guard !folder.hasPrefix("Tests/") else { continue }
      let dependencies = declaration.firstMatch(of: /\bdependencies: \[([^\]]*)\]/)?.1 ?? ""
      modules.append(
        Module(name: String(name), folder: folder, uses: Set(dependencies.matches(of: /"([^"]+)"/).map { String($0.1) })))
    }
    return modules
  }

  @Test func theTableOfModulesIsThatOfThePackage() throws {
    let document = try Self.text("docs/architecture.md")
    let rows = document.matches(of: /\n\| `([^`]+)` \| [^|\n]+ \| ([^|\n]+) \|/).map { row in
      let uses = row.2 == "none" ? [] : row.2.split(separator: ", ").map(String.init)
      return Module(folder: String(row.1), uses: Set(uses))
    }
    let modules = try Self.modules()
    #expect(modules.count > 20)
    #expect(rows.map(\.folder) == modules.map(\.folder), "docs/architecture.md lists the modules in the order of Package.swift")
    for module in modules {
      let row = rows.first { $0.folder == module.folder }
      #expect(row?.uses == module.uses, "\(module.folder) in docs/architecture.md")
      #expect(Self.exists(module.folder))
    }
  }

  /// The build finds a module of ours that a target does not name as long as something else that it names has it.
  @Test func modulesNameWhatTheyImport() throws {
    let modules = try Self.modules()
    let names = Set(modules.map(\.name))
    var imports = 0
    for (path, text) in Self.texts() where path.hasSuffix(".swift") {
      guard let module = modules.first(where: { path.hasPrefix($0.folder + "/") }) else { continue }
      for line in text.split(separator: "\n") where line.contains("import ") {
        let name = line.wholeMatch(of: /(?:(?:internal|public|package) )?import (?:[a-z]+ )?(\w+)\S*/).map { String($0.1) }
        guard let name, names.contains(name) else { continue }
        imports += 1
        #expect(module.uses.contains(name), "\(path) imports \(name), which Package.swift does not say")
      }
    }
    #expect(imports > 500)
  }
}
