import Channels
import ControlAPI
import ControlGenerator
import Coordinator
import Foundation
import Sentences
import Testing
import Varlink

/// Rules of the project that a machine can check.
struct RulesTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private func sources(_ folder: String) throws -> [(name: String, text: String)] {
    let base = Self.root.appendingPathComponent(folder)
    let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix(".swift") }.map {
      (folder + "/" + $0, try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
    }
  }

  private func imports(_ text: String) -> [String] {
    text.split(separator: "\n").filter {
      $0.hasPrefix("import ") || $0.contains(" import ") && !$0.hasPrefix(" ") && !$0.hasPrefix("/")
    }
    .compactMap { $0.split(separator: " ").last.map(String.init) }
  }

  @Test func coreImportsNothing() throws {
    let files = try sources("Sources/Channels")
    #expect(files.count > 5)
    for file in files { #expect(imports(file.text).isEmpty, "\(file.name): the core may import nothing") }
  }

  @Test func dependenciesPointDownwards() throws {
    // Each layer may import what stands before it, not what stands after.
    let order = [
      "Channels", "Secrets", "Cryptography", "Sentences", "StrictJSON", "Filters", "RelayNetwork", "Provisioning", "Storage",
      "Store",
      "Dialing", "WebFiles", "Nostr",
      "SimpleX",
      "Coordinator",
      "Varlink",
      "ControlAPI", "ControlServer",
    ]
    let networks: Set<String> = ["Dialing", "Nostr", "SimpleX"]
    for (index, module) in order.enumerated() {
      let folder = networks.contains(module) ? "Sources/Networks/\(module)" : "Sources/\(module)"
      for file in try sources(folder) {
        for name in imports(file.text) { #expect(!order[(index + 1)...].contains(name), "\(file.name) imports \(name)") }
      }
    }
    for file in try sources("Sources/Varlink") {
      #expect(
        !imports(file.text).contains { ["Channels", "Storage", "Store", "Coordinator", "ControlAPI"].contains($0) },
        "\(file.name)")
    }
    // The coordinator knows networks by their protocol only, and networks do not know each other. Files are uploaded by clients.
    let beyond = networks.union(["WebFiles"])
    for file in try sources("Sources/Coordinator") + sources("Sources/ControlServer") {
      #expect(!imports(file.text).contains { beyond.contains($0) }, "\(file.name)")
    }
    for file in try sources("Sources/Networks/SimpleX") { #expect(!imports(file.text).contains("Nostr"), "\(file.name)") }
    // Pages know nothing but what clients are told.
    let behind = ["Storage", "Store", "PostgreSQLStore", "Coordinator", "ControlServer", "RelayNetwork"] + beyond
    for file in try sources("Sources/baton-console") {
      #expect(!imports(file.text).contains { behind.contains($0) }, "\(file.name)")
    }
    for file in try sources("Sources/BatonClient") {
      #expect(
        !imports(file.text).contains { ["Storage", "Store", "Coordinator", "ControlServer", "Channels"].contains($0) },
        "\(file.name)")
    }
  }

  /// Modules that decide or serve know storage only as a port. Only the programs know the database behind it.
  @Test func onlyProgramsKnowTheDatabase() throws {
    // The store that several daemons share lays rows out as the one in a file does.
    let programs = ["Sources/batond/", "Sources/Programs/", "Sources/PostgreSQLStore/"]
    // Sandbox relays keep their events in a database of their own.
    let databases = ["Sources/Store/", "Sources/Sandbox/"]
    var programsThatDo = 0
    for file in try sources("Sources") {
      let imports = imports(file.text)
      let isDatabase = databases.contains { file.name.hasPrefix($0) }
      #expect(isDatabase || !imports.contains("GRDB"), "\(file.name): SQL stays inside Store")
      // The rows that are written and read most do without what GRDB puts around values.
      #expect(
        file.name.hasPrefix("Sources/Store/Rows/") || !imports.contains { $0.localizedCaseInsensitiveContains("sqlite") },
        "\(file.name): SQLite is behind GRDB")
      guard imports.contains("Store") else { continue }
      programsThatDo += 1
      #expect(programs.contains { file.name.hasPrefix($0) }, "\(file.name) imports Store; what it needs belongs in Storage")
    }
    #expect(programsThatDo > 0)
  }

  /// The port itself has no database, no files and no threads.
  @Test func storageIsAPort() throws {
    let allowed: Set<String> = ["Channels", "Secrets", "StrictJSON", "Filters", "Cryptography", "Foundation"]
    let files = try sources("Sources/Storage")
    #expect(files.count > 5)
    for file in files {
      for name in imports(file.text) { #expect(allowed.contains(name), "\(file.name) imports \(name)") }
      for word in ["FileManager", "FileHandle", "SQLite"] {
        #expect(!file.text.contains(word), "\(file.name): storage as a port knows no \(word)")
      }
    }
  }

  /// What decides cannot act: it has no clock, journal, tasks, storage or chance of its own, answers no one and asks networks to do nothing.
  /// What follows from a decision stands in `Effects`.
  @Test func decidingDoesNothing() throws {
    let engine = "Sources/Coordinator/Engine/"
    let acting = [
      "Engine.swift", "Input.swift", "Reads/Questions.swift", "Commit/Engine+Doubt.swift", "Shell/Shell.swift",
      "Shell/Flight.swift", "Shell/Waker.swift", "Effects/Engine+Effects.swift", "Effects/EngineMeter.swift",
      "Effects/Journal.swift",
    ]
    let files = try sources(String(engine.dropLast()))
    let deciding = files.filter { file in !acting.contains { file.name == engine + $0 } }
    #expect(deciding.count > 20 && files.count == deciding.count + acting.count)
    let allowed: Set<String> = ["Channels", "Secrets", "StrictJSON", "RelayNetwork", "Storage", "DequeModule", "HeapModule"]
    let banned = [
      "Clock", "clock.", "logger", "Logger", "Task {", "Task.detached", "async", "await", "ChangeHub", "hub.", "Prober",
      "prober", "post(", "poke(", "CoordinatorStorage", "storage.", "directory.write", "directory.hold", "directory.carry",
      "directory.choose", "directory.release", "?.perform(", "?.cancel(", "?.watch(", "?.unlock(", "?.lock(", ".send(",
      "SystemRandomNumberGenerator",
    ]
    for file in deciding {
      for name in imports(file.text) { #expect(allowed.contains(name), "\(file.name) imports \(name)") }
      let code = file.text.split(separator: "\n").filter { !$0.contains("//") }
      for word in banned {
        #expect(!code.contains { $0.contains(word) }, "\(file.name): \(word): whoever decides does not act")
      }
      for line in code where line.contains(".random(") {
        #expect(line.contains("using:"), "\(file.name): chance comes from the seed: \(line)")
      }
    }
    let decider = try #require(files.first { $0.name == engine + "Decide/Decider.swift" })
    #expect(decider.text.contains("\nstruct Decider {"), "it is a value")
    // Values that know nothing of the engine.
    try checkWords(["Engine", "Decider", "Decision", "Effects"], areMissingIn: engine + "State")
    // What drives any decider.
    try checkWords(["Engine", "Decider", "Catalog", "Relay"], areMissingIn: engine + "Shell")
  }

  /// The same holds for posts.
  @Test func decidingOnPostsDoesNothing() throws {
    let folder = "Sources/Coordinator/Posts/"
    let acting = [
      "Coordinator+Adoption.swift", "Coordinator+Clearing.swift", "Coordinator+Edits.swift", "Coordinator+Forecast.swift",
      "Coordinator+Members.swift", "Coordinator+Posts.swift",
      "Coordinator+About.swift", "Coordinator+PostTask.swift", "Coordinator+Reactions.swift", "Coordinator+Retention.swift",
      "Coordinator+Uploads.swift",
      "PostEngine.swift", "PostInput.swift", "PostQuestions.swift",
    ]
    let files = try sources(String(folder.dropLast()))
    let deciding = files.filter { file in !acting.contains { file.name == folder + $0 } }
    #expect(deciding.count > 8 && files.count == deciding.count + acting.count)
    let allowed: Set<String> = ["Channels", "StrictJSON", "RelayNetwork", "Storage", "DequeModule"]
    let banned = [
      "Clock", "clock.", "logger", "Logger", "Task {", "Task.detached", "async ", "await ", "hub.", "PostStorage", "storage.",
      "directory", "?.deliver(", "?.release(", ".send(", ".random(",
    ]
    for file in deciding {
      for name in imports(file.text) { #expect(allowed.contains(name), "\(file.name) imports \(name)") }
      let code = file.text.split(separator: "\n").filter { !$0.contains("//") }
      for word in banned {
        #expect(!code.contains { $0.contains(word) }, "\(file.name): \(word): whoever decides does not act")
      }
    }
    let decider = try #require(files.first { $0.name == folder + "PostDecider.swift" })
    #expect(decider.text.contains("\nstruct PostDecider {"), "it is a value")
  }

  /// And for messages.
  @Test func decidingOnMessagesDoesNothing() throws {
    let folder = "Sources/Coordinator/Messages/"
    let acting = [
      "Coordinator+Messages.swift", "Coordinator+MessageTask.swift", "MessageInput.swift", "MessageKeeper.swift",
      "MessageKeeper+Requests.swift", "MessageKeeper+Work.swift", "MessageParts.swift", "SyncNumbers.swift",
      "WaitingRequests.swift",
    ]
    let files = try sources(String(folder.dropLast()))
    let deciding = files.filter { file in !acting.contains { file.name == folder + $0 } }
    #expect(deciding.count > 6 && files.count == deciding.count + acting.count)
    let allowed: Set<String> = ["Channels", "RelayNetwork", "Storage", "DequeModule"]
    let banned = [
      "Clock", "clock.", "logger", "Logger", "Task {", "async ", "await ", "hub.", "MessageStorage", "storage.", "directory",
      "?.follow(", "?.unfollow(", "?.took(", "?.sync(", ".send(", ".random(",
    ]
    for file in deciding {
      for name in imports(file.text) { #expect(allowed.contains(name), "\(file.name) imports \(name)") }
      let code = file.text.split(separator: "\n").filter { !$0.contains("//") }
      for word in banned {
        #expect(!code.contains { $0.contains(word) }, "\(file.name): \(word): whoever decides does not act")
      }
    }
  }

  private func checkWords(_ words: [String], areMissingIn folder: String) throws {
    for file in try sources(folder) {
      let code = file.text.split(separator: "\n").filter { !$0.contains("///") }
      for word in words { #expect(!code.contains { $0.contains(word) }, "\(file.name) knows of \(word)") }
    }
  }

  @Test func generatedTypesAreCurrent() throws {
    var generator = Generator()
    // The layout is that of the formatter.
    func isSame(_ a: String, _ b: String) -> Bool { a.filter { !$0.isWhitespace } == b.filter { !$0.isWhitespace } }
    let files = try generator.files(for: Interfaces.all)
    let folders = ["Sources/ControlAPI/Generated", "Sources/BatonClient/Generated"]
    #expect(files.count == (try folders.flatMap(sources)).count)
    for file in files {
      let committed = try String(
        contentsOf: Self.root.appendingPathComponent("Sources/" + file.name), encoding: .utf8)
      #expect(isSame(committed, file.text), "\(file.name) is not current: run make generate")
    }
  }

  /// Methods and errors have names that the generator writes: what is spelled out by hand may be wrong, and no one would notice.
  @Test func methodsAndErrorsAreNamedByGeneratedCodeOnly() throws {
    for folder in ["Sources/ControlServer", "Sources/BatonClient", "Sources/batonctl"] {
      for file in try sources(folder) where !file.name.contains("/Generated/") {
        for interface in Interfaces.all {
          #expect(!file.text.contains("\"\(interface.name)."), "\(file.name) spells out names of \(interface.name)")
        }
      }
    }
  }

  @Test func filesAreShortAndNothingIsForced() throws {
    for file in try sources("Sources") {
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
      // No one reads what is generated.
      #expect(lines.count <= 420 || file.name.contains("/Generated/"), "\(file.name) has \(lines.count) lines")
      for (number, line) in lines.enumerated() {
        for banned in ["try!", "fatalError(", "as! ", "@unchecked Sendable", "DispatchSemaphore"]
        where line.contains(banned) {
          Issue.record("\(file.name):\(number + 1): \(banned)")
        }
        // A tool with one thread may end as it likes.
        let mayExit = file.name.contains("/baton-generate/") || file.name.contains("/ProgramEnd/")
        if !mayExit, line.contains(/\b_?exit\(/) {
          Issue.record("\(file.name):\(number + 1): programs end with endProgram, because other threads still run")
        }
      }
    }
  }

  /// Two threads that make the types of these handlers at the same moment may end the process.
  @Test func handlersOfHTTPAreReadyBeforeTheyAreUsed() throws {
    let uses = [
      "configureUpgradableHTTPClientPipeline(", "configureHTTPServerPipeline(", "addHTTPClientHandlers(", "HTTP1Channel(",
    ]
    for file in try sources("Sources") where uses.contains(where: file.text.contains) {
      #expect(file.text.contains("HTTPHandlers.prepare()"), "\(file.name): HTTPHandlers.prepare() comes first")
    }
  }

  /// A release build crashes when it sets such a value outside a task (decision 53), and most tests have a debug build.
  @Test func noTaskLocalValueIsAFunction() throws {
    for file in try sources("Sources") {
      for line in file.text.split(separator: "\n") where line.contains("@TaskLocal") {
        #expect(!line.contains("->"), "\(file.name): put the function into a structure: \(line)")
      }
    }
  }

  @Test func testsDoNotSleep() throws {
    for file in try sources("Tests") where !file.name.hasSuffix("RulesTests.swift") {
      for banned in ["Task.sleep", "usleep(", "Thread.sleep"] {
        #expect(!file.text.contains(banned), "\(file.name) sleeps: wait for what you mean")
      }
    }
  }

  /// All tests share one process: what one changes of it, others read at the same moment, and the C library does not guard it.
  @Test func testsLeaveTheirProcessAsItIs() throws {
    for file in try sources("Tests") where !file.name.hasSuffix("RulesTests.swift") {
      for banned in ["setenv(", "putenv(", "clearenv(", "environ[", "chdir(", "changeCurrentDirectoryPath", "umask("] {
        #expect(!file.text.contains(banned), "\(file.name): \(banned) changes the process of all tests")
      }
      #expect(!file.text.contains("= Process()"), "\(file.name): Program starts programs, and leaves none behind")
    }
  }

  /// No one can put another file in the place of one that the tests install.
  @Test(arguments: ["requirements", "locking"])
  func whatTestsInstallIsPinnedWithHashes(_ name: String) throws {
    let folder = Self.root.appendingPathComponent("Tests/EndToEnd/python")
    let lock = try String(contentsOf: folder.appendingPathComponent(name + ".txt"), encoding: .utf8)
    let locked = lock.replacing("\\\n", with: " ").split(separator: "\n").filter { !$0.hasPrefix("#") }
    for line in locked {
      #expect(line.firstMatch(of: /^[a-z0-9-]+==[^ ]+ .*--hash=sha256:[0-9a-f]{64}/) != nil, "\(line.prefix(80))")
    }
    let wanted = try String(contentsOf: folder.appendingPathComponent(name + ".in"), encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    #expect(!wanted.isEmpty && wanted.count <= locked.count)
    for package in wanted {
      let begin = package.lowercased().replacing("_", with: "-") + " "
      #expect(locked.contains { $0.hasPrefix(begin) }, "\(package) is not in the lock: run scripts/venv --lock")
    }
    let script = try String(contentsOf: Self.root.appendingPathComponent("scripts/venv"), encoding: .utf8)
    for line in script.split(separator: "\n") where line.contains("pip\" install") {
      #expect(line.contains("--require-hashes"))
    }
  }

  @Test func everyErrorHasASentence() throws {
    #expect(Interfaces.refusals.map { $0.interface } == Interfaces.all.map(\.name))
    for interface in Interfaces.all {
      for error in interface.errors {
        // The name is what people are told of an error that no one knows.
        let words = VarlinkError("\(interface.name).\(error.name)").sentence.text
        #expect(!words.contains(error.name), "\(interface.name).\(error.name): \(words)")
      }
    }
  }

  @Test func journalIdentifiersAreUniqueAndWellFormed() {
    let ids = JournalEvent.allCases.map(\.rawValue)
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
  }

  @Test func versionsAgree() throws {
    let daemon = try String(contentsOf: Self.root.appendingPathComponent("Sources/batond/Batond.swift"), encoding: .utf8)
    let version = try #require(daemon.firstMatch(of: /version = "([0-9.]+)"/)?.1)
    for file in [
      "Sources/batonctl/Batonctl.swift", "Sources/baton-sandbox/BatonSandbox.swift", "Sources/baton-console/Console.swift",
      "CHANGELOG.md",
      "packaging/debian/changelog",
    ] {
      let text = try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
      #expect(text.contains(version), "\(file) does not name version \(version)")
    }
  }

  /// Packages contain libraries, whose authors and licences they name.
  @Test func everyLibraryIsNamedInThePackage() throws {
    let manifest = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let copyright = try String(contentsOf: Self.root.appendingPathComponent("packaging/debian/copyright"), encoding: .utf8)
    let names = manifest.matches(of: /url: "https:\/\/github.com\/[^\/"]+\/([^"]+)"/).map { String($0.1) }
    #expect(names.count > 10)
    let words = Set(copyright.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "." }.map(String.init))
    for name in names { #expect(words.contains(name), "\(name)") }
  }

  /// The same commit is the same program, whenever it is built.
  @Test func versionsOfDependenciesAreFixedAndDocumented() throws {
    let manifest = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let declared = manifest.matches(of: /\.package\(url: "[^"]+\/([^"\/]+)", (exact: |\.upToNextMinor\(from: )"([0-9.]+)"/)
    #expect(declared.count == manifest.matches(of: /\.package\(/).count && declared.count > 15)
    let page = try String(contentsOf: Self.root.appendingPathComponent("docs/dependencies.md"), encoding: .utf8)
    let rows = page.matches(of: /\n\| ([A-Za-z0-9.-]+) \| ([0-9.]+)( to [0-9.]+)? \| [^|]+ \| [^|]+ \|/)
    #expect(rows.map { "\($0.1) \($0.2)" } == declared.map { "\($0.1) \($0.3)" })
    for (row, package) in zip(rows, declared) { #expect((row.3 == nil) == (package.2 == "exact: "), "\(row.1)") }
    let benchmarks = try String(contentsOf: Self.root.appendingPathComponent("Benchmarks/Package.swift"), encoding: .utf8)
    for line in benchmarks.split(separator: "\n") where line.contains("url:") {
      #expect(manifest.contains(line), "\(line) differs in Package.swift")
    }
  }

  @Test func everyCauseAndStatusIsInTheOperatorsGuide() throws {
    let guide = try String(
      contentsOf: Self.root.appendingPathComponent("docs/why-is-this-relay-not-active.md"), encoding: .utf8)
    for cause in Cause.allCases { #expect(guide.contains("| `\(cause.rawValue)` |"), "\(cause)") }
    for status in RelayStatus.allCases where status != .active { #expect(guide.contains("`\(status.rawValue)`"), "\(status)") }
  }

  @Test func everyStatusPhaseAndCauseOfPostsIsInTheirGuide() throws {
    let guide = try String(contentsOf: Self.root.appendingPathComponent("docs/posts.md"), encoding: .utf8)
    for status in DeliveryStatus.allCases { #expect(guide.contains("\n| `\(status.rawValue)` |"), "\(status)") }
    for phase in PostPhase.allCases { #expect(guide.contains("`\(phase.rawValue)`"), "\(phase)") }
    let causes = guide.components(separatedBy: "\n## Causes\n").last?.components(separatedBy: "\n## ").first ?? ""
    let first = causes.split(separator: "\n").compactMap { $0.split(separator: "|").first.map(String.init) }.joined()
    // What concerns channels only.
    let others: [Cause] = [.replaced, .onePerAuthor]
    for cause in Cause.allCases where !others.contains(cause) { #expect(first.contains("`\(cause.rawValue)`"), "\(cause)") }
  }
}
