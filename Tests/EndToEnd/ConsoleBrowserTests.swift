import Foundation
import Glibc
import TestTools
import Testing

enum Chromium {
  static let isInstalled = ["/usr/bin/chromium", "/usr/bin/chromedriver"].allSatisfy(FileManager.default.isExecutableFile)
}

/// The console in Debian's Chromium, over real daemons and relays.
@Suite(
  .serialized, .timeLimit(.minutes(15)),
  .enabled(if: Chromium.isInstalled, "chromium and chromium-driver are not installed"))
struct ConsoleBrowserTests {
  /// Runs a scenario of `console_browser.py`.
  /// - Parameter act: does what the scenario asks for, such as `stop the daemon`.
  private func browse(
    _ scenario: String, _ console: ConsolePages, _ arguments: [String] = [], act: (String) async throws -> Void = { _ in }
  ) async throws {
    let folder = try TemporaryFolder()
    let browser = try Program(
      ThirdPartyRelay.python + "/python3",
      ["-B", ThirdPartyRelay.scripts + "/console_browser.py", scenario, console.address] + arguments,
      environment: ["HOME": folder.path, "TMPDIR": folder.path])
    for number in 1... {
      let mark = "now \(number) "
      let wish = try await browser.line(containing: mark).dropFirst(mark.count)
      if ["done", "wrong"].contains(wish) { break }
      try await act(String(wish))
    }
    let status = await browser.status()
    // What is wrong stands in front of what is on the page.
    let wrong = browser.lines.lastIndex { $0.hasPrefix("wrong:") } ?? max(0, browser.lines.count - 40)
    #expect(status == 0, "\(browser.lines[wrong...].prefix(40).joined(separator: "\n"))")
  }

  private func end(_ programs: [Program]) async {
    for program in programs { program.signal(SIGTERM) }
    for program in programs { _ = await program.status() }
  }

  /// Empty pages, full ones, and those of errors: in both schemes, narrow and wide, with the keyboard alone.
  @Test func everybodyCanUseEveryPage() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let empty = try await ConsolePages(baton)
    let bare = ["/", "/channels", "/relays", "/servers", "/operators", "/history", "/health"]
    try await browse("looks", empty, Thoroughness.isFull ? bare : ["/"])
    let sandbox = try Program("baton-sandbox", ["--relays", "3"])
    var addresses: [String] = []
    while addresses.count < 3 {
      let from = addresses.last.flatMap { sandbox.lines.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      addresses.append(try await sandbox.line(containing: "ws://", from: from))
    }
    try await baton.addRelays(addresses)
    for number in 1...30 { _ = try await baton.createChannel("News \(number)", relays: ["r1", "r2", "r3"]) }
    let folder = try TemporaryFolder()
    let image = folder.path + "/image.png"
    try #require(Data(base64Encoded: TestImage.png)).write(to: URL(filePath: image))
    for arguments in [
      ["server", "add", "smp://AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=@smp.example.org"],
      ["operator", "add", "Example", "--domain", "example.org"], ["post", "News 1", "The bridge is open."],
      ["relay", "disable", "r3"], ["channel", "update", "News 1", "--image", image],
    ] {
      let result = try await baton.control(arguments)
      #expect(result.status == 0, "\(arguments): \(result.lines)")
    }
    let console = try await ConsolePages(baton)
    let often = ["/", "/channels", "/channels/1", "/channels/1/messages", "/channels/new", "/relays/1"]
    let others = [
      "/channels?phase=failed", "/channels/1/edit", "/channels/1/relays", "/channels/1/remove?relay=1", "/channels/1/delete",
      "/channels/1/progress", "/channels/1/link", "/relays", "/servers", "/operators", "/history", "/health", "/daemon",
      "/sessions",
    ]
    try await browse("looks", console, often + (Thoroughness.isFull ? others : []))
    await end([empty.program, console.program, daemon, sandbox])
  }

  @Test func aChannelIsCreatedInThreeSteps() async throws {
    let relays = [try ThirdPartyRelay(), try ThirdPartyRelay(), try ThirdPartyRelay()]
    var running = [try await relays[0].start(), try await relays[1].start(), try await relays[2].start()]
    let baton = try Installation(["BATON_NOSTR_DIAL_TIMEOUT": "5s", "BATON_NOSTR_REDIAL_MAX": "1s"])
    let daemon = try await baton.start()
    try await baton.addRelays(relays.map(\.url))
    let console = try await ConsolePages(baton)
    try await browse("creates", console, ["\(relays[2].port)", "3"]) { wish in
      switch wish {
      case "stop the relay":
        running[2].signal(SIGKILL)
        _ = await running[2].status()
      case "start the relay": running[2] = try await relays[2].start()
      default: Issue.record("unknown: \(wish)")
      }
    }
    await end([console.program, daemon])
    for relay in running { relay.signal(SIGKILL) }
    for relay in running { _ = await relay.status() }
  }

  /// With scripts switched off, pages and forms do the same; they only do not move by themselves.
  @Test func scriptsAreNotNeeded() async throws {
    let baton = try Installation()
    let daemon = try await baton.start()
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    try await baton.addRelays([try await sandbox.line(containing: "ws://")])
    let console = try await ConsolePages(baton)
    try await browse("plain", console)
    let channel = try await baton.control("channel", "show", "Quay", "--json")
    #expect(channel.lines.joined().contains("\"phase\":\"active\""), "\(channel.lines)")
    await end([console.program, daemon, sandbox])
  }

  /// It waits for tabs that fall silent.
  @Test(.enabled(if: Thoroughness.isFull, "make test-all runs this")) func twoTabsHearOfEverything() async throws {
    let baton = try Installation()
    var daemon = try await baton.start()
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    try await baton.addRelays([try await sandbox.line(containing: "ws://")])
    _ = try await baton.createChannel("News", relays: ["r1"])
    let console = try await ConsolePages(baton)
    try await browse("lives", console) { wish in
      let start = "start the daemon and "
      var wish = wish
      if wish.hasPrefix(start) {
        daemon = try await baton.start()
        wish = String(wish.dropFirst(start.count))
      }
      let words = wish.split(separator: " ", maxSplits: 2).map(String.init)
      switch words[0] {
      case "rename":
        let result = try await baton.control("channel", "update", "id:\(words[1])", "--name", words[2])
        #expect(result.status == 0, "\(result.lines)")
      case "create": _ = try await baton.createChannel(words[1], relays: ["r1"])
      case "stop":
        daemon.signal(SIGTERM)
        #expect(await daemon.status() == 0)
      default: Issue.record("unknown: \(wish)")
      }
    }
    await end([console.program, daemon, sandbox])
  }

  @Test func textsOfOthersAreTextsAndOtherSitesDoNothing() async throws {
    let port = Program.freePort()
    let relay = try Program(
      ThirdPartyRelay.python + "/python3", ["-B", ThirdPartyRelay.scripts + "/hostile_relay.py", "\(port)"])
    try await relay.line(containing: "ready")
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let baton = try Installation()
    let daemon = try await baton.start()
    let hacks = "<img src=x onerror=window.hacked=1><b>"
    let honest = try await sandbox.line(containing: "ws://")
    try await baton.addRelays([honest])
    let news = try await baton.createChannel("News", relays: ["r1"])
    for arguments in [
      ["relay", "add", "ws://127.0.0.1:\(port)", "--name", hacks], ["operator", "add", hacks, "--domain", "example.org"],
      ["relay", "test", hacks],
      [
        "channel", "create", "<b>bold<img onerror=x>", "--description", hacks, "--relay", "r1", "--relay", hacks, "--custom",
        "{\"a\":\"\(hacks)\"}", "--wait", "any",
      ],
      ["post", "id:2", "\(hacks)<script>window.hacked=1</script>"],
    ] { _ = try await baton.control(arguments) }
    let channel = try await baton.control("channel", "show", "id:2", "--json")
    let shown = channel.lines.joined()
    #expect(shown.contains("<b>bold") && shown.contains("invalid: <script>"), "\(shown)")
    // What strangers say, and what they call themselves.
    var plan = MessagePlan(channel: news, relays: [honest])
    plan.add(0, "{\"name\":\"\(hacks)\"}", label: "profile", by: "mallory", tags: [])
    plan.say("\(hacks)<script>window.hacked=1</script>", by: "mallory")
    // U+0600 joins what follows it, and hides it from whoever looks at characters.
    plan.say("\u{600}<img src=x onerror=window.hacked=1 \u{600}>", by: "mallory")
    #expect(try await baton.write(plan).refused.isEmpty)
    _ = try await baton.watchMessages { $0.texts.contains { $0.contains("<script>") } }
    // What a file declares.
    try """
    operators:
      - name: "File \(hacks)"
        legalName: "\(hacks)"
        domains: [file.example]
        relays:
          - {address: "wss://relay.file.example", name: "Relay \(hacks)", enabled: false}

    """.write(toFile: baton.operators + "/hostile.yaml", atomically: true, encoding: .utf8)
    let loaded = try await baton.control("reload")
    #expect(loaded.status == 0, "\(loaded.lines)")
    // Another program on this machine, with a page of its own.
    let folder = try TemporaryFolder()
    try "<!doctype html><title>x</title><h1></h1>".write(
      toFile: folder.path + "/index.html", atomically: true, encoding: .utf8)
    let foreign = Program.freePort()
    let other = try Program(
      "/usr/bin/python3", ["-u", "-m", "http.server", "\(foreign)", "--bind", "127.0.0.1"], directory: folder.path)
    try await other.line(containing: "Serving HTTP")
    let console = try await ConsolePages(baton)
    try await browse("shields", console, ["\(foreign)", "2"])
    let still = try await baton.control("channel", "show", "id:2", "--json")
    #expect(!still.lines.joined().contains("\"phase\":\"delet"), "\(still.lines)")
    await end([console.program, daemon, sandbox, relay, other])
  }
}
