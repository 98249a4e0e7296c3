import ArgumentParser
import BatonClient
import ControlAPI
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing
import WebFiles

/// Files that `batonctl post` uploads, and names at domains: with servers that check each authorization with an independent library.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct UploadTests {
  /// A server for files and names.
  private struct FileServer {
    let program: Program
    let url: String
    let faults: String

    init(
      _ folder: TemporaryFolder, _ number: Int, _ more: [String] = [], scheme: String = "http", port: Int = Program.freePort()
    ) async throws {
      faults = folder.path + "/faults\(number)"
      program = try Program(
        ThirdPartyRelay.python + "/python3",
        ["-B", ThirdPartyRelay.scripts + "/blossom_server.py", "\(port)", "127.0.0.1", "--faults", faults] + more)
      url = "\(scheme)://127.0.0.1:\(port)"
      try await program.line(containing: "ready \(url)")
    }

    func fail(_ fault: String) throws { try fault.write(toFile: faults, atomically: true, encoding: .utf8) }

    /// The requests of a method so far.
    func count(_ method: String) -> Int { program.lines.count { $0.hasPrefix(method + " ") } }
  }

  /// A daemon with the channel News on one relay, and two servers for files.
  private struct Newsroom {
    static let bob = String(repeating: "ab", count: 32)
    private let folder: TemporaryFolder
    let baton: Installation
    let daemon: Program
    let relay: Program
    let relayURL: String
    let servers: [FileServer]
    let photo: String
    let hash: String

    init(isConfigured: Bool = true) async throws {
      folder = try TemporaryFolder()
      servers = [
        try await FileServer(folder, 0, ["--name", "bob=\(Self.bob)", "--name", "_=\(Self.bob)"]),
        try await FileServer(folder, 1),
      ]
      relay = try Program("baton-sandbox", ["--relays", "1"])
      let list = servers.map(\.url).joined(separator: ",")
      baton = try Installation(isConfigured ? ["BATON_NOSTR_BLOSSOM": list] : [:])
      daemon = try await baton.start()
      let relays = try await relay.sandboxRelays(1)
      relayURL = relays[0]
      try await baton.addRelays(relays)
      let created = try await baton.control("channel", "create", "News")
      #expect(created.status == 0, "\(created.lines)")
      photo = baton.folder.path + "/photo.gif"
      let bytes = Array("GIF89a".utf8) + [3, 0, 70, 0, 0, 0, 0, 0x3B]
      try Data(bytes).write(to: URL(fileURLWithPath: photo))
      hash = LocalFile(bytes: bytes, name: photo).sha256
    }

    /// Publishes the photo.
    func post(_ more: String...) async throws -> (status: Int32, lines: [String]) {
      try await baton.control(["post", "News", "Look", "--attach-file", photo, "--json"] + more)
    }

    /// The events of all posts, as an independent reader gets them.
    func events() async throws -> [JSONValue] { try await baton.events(at: relayURL, ["kinds": [42]]) }

    func stop() async {
      daemon.signal(SIGTERM)
      #expect(await daemon.status() == 0)
      for program in [relay] + servers.map(\.program) {
        program.signal(SIGKILL)
        _ = await program.status()
      }
    }
  }

  private static func tags(_ name: String, _ event: JSONValue?) -> [[String]] {
    (event?["tags"]?.array ?? []).map { ($0.array ?? []).compactMap(\.string) }.filter { $0.first == name }
  }

  @Test func fileIsOnEveryServerBeforeItsPostIsPublished() async throws {
    let room = try await Newsroom()
    let published = try await room.post("--alt", "A bridge")
    #expect(published.status == 0 && published.lines.count == 1, "\(published.lines)")
    let events = try await room.events()
    #expect(events.count == 1)
    let places = room.servers.map { "\($0.url)/\(room.hash).gif" }
    let wanted = [
      "imeta", "url \(places[0])", "x \(room.hash)", "m image/gif", "size 14", "dim 3x70", "alt A bridge",
      "fallback \(places[1])",
    ]
    #expect(Self.tags("imeta", events.first).map { Set($0) } == [Set(wanted)])
    #expect(events.first?["content"]?.string?.contains(places[0]) == true)
    // The channel's key signed for the upload, and its server has checked that.
    let author = try #require(events.first?["pubkey"]?.string)
    for server in room.servers {
      try await server.program.line(containing: "PUT /upload 201 \(author)")
    }
    // What is there is not sent again.
    let again = try await room.post()
    #expect(again.status == 0, "\(again.lines)")
    for server in room.servers {
      // One line when it was ready, three requests, and two.
      try await server.program.line(containing: "GET", from: 5)
      #expect(server.count("PUT") == 1 && server.count("HEAD") == 2 && server.count("GET") == 2, "\(server.program.lines)")
    }
    await room.stop()
  }

  @Test func serverThatFailsIsNamedAndThePostHasTheOthers() async throws {
    let room = try await Newsroom()
    for (fault, words) in [
      ("large", "413: at most 4 bytes are taken"), ("unauthorized", "401: you are not known here"),
      ("other-hash", "stored another file"), ("garbage", "does not say what it stored"),
    ] {
      try room.servers[0].fail(fault)
      let refused = try await room.post("--key", "k")
      #expect(refused.status == 1, "\(refused.lines)")
      let error = try JSONParser.parse(refused.lines.first ?? "")
      #expect(error["error"] == "local.UploadFailed" && error["message"]?.string?.contains(words) == true, "\(refused.lines)")
      #expect(error["message"]?.string?.contains("is on 1 of 2 servers: \(room.servers[0].url):") == true)
    }
    #expect(try await room.events().isEmpty)
    try room.servers[0].fail("large")
    let published = try await room.post()
    #expect(published.status == 0, "\(published.lines)")
    let warning = try published.lines.map { try JSONParser.parse($0) }.first { $0["warning"] != nil }
    #expect(warning?["warning"] == "local.UploadIncomplete" && published.lines.count == 2, "\(published.lines)")
    let imeta = try #require(Self.tags("imeta", try await room.events().first).first)
    #expect(imeta.contains("url \(room.servers[1].url)/\(room.hash).gif") && !imeta.contains { $0.hasPrefix("fallback") })
    await room.stop()
  }

  @Test func nothingIsPublishedIfNoServerTakesTheFile() async throws {
    let room = try await Newsroom()
    try room.servers[0].fail("other-hash")
    try room.servers[1].fail("close")
    let refused = try await room.baton.control("post", "News", "Look", "--attach-file", room.photo)
    #expect(refused.status == 1 && refused.lines.count == 1, "\(refused.lines)")
    let line = refused.lines.first ?? ""
    #expect(line.hasPrefix("batonctl: no server accepted \(room.photo), so nothing was published: \(room.servers[0].url): "))
    #expect(line.contains("; \(room.servers[1].url): "))
    // It takes the file, and changes it on the way to readers.
    try room.servers[0].fail("other-bytes")
    #expect(try await room.post().lines.first?.contains("serves another file than it got") == true)
    #expect(try await room.events().isEmpty)
    // Readers are sent to where the file is.
    try room.servers[0].fail("redirect")
    try room.servers[1].fail("")
    #expect(try await room.post().status == 0)
    await room.stop()
  }

  @Test func interruptedUploadSaysThatNothingWasPublished() async throws {
    let room = try await Newsroom()
    try room.servers[0].fail("silent")
    let impatient = try Program(
      "batonctl", ["post", "News", "Look", "--attach-file", room.photo, "--socket", room.baton.socket])
    try await room.servers[0].program.line(containing: "PUT /upload silent")
    impatient.signal(SIGINT)
    #expect(await impatient.status() == 130)
    try await impatient.line(containing: "Nothing was published")
    #expect(!impatient.lines.contains { $0.contains("The daemon continues") }, "\(impatient.lines)")
    #expect(try await room.events().isEmpty)
    await room.stop()
  }

  @Test func nothingIsUploadedWithoutAServerOrAFile() async throws {
    let room = try await Newsroom(isConfigured: false)
    let refused = try await room.post()
    let error = try JSONParser.parse(refused.lines.first ?? "")
    #expect(refused.status == 1 && error["error"] == "org.batond.Posts.NotSupported", "\(refused.lines)")
    #expect(error["message"]?.string?.contains("nostr.blossom") == true)
    for path in ["/nonexistent/\u{1B}x", "/dev/zero", room.baton.folder.path] {
      let result = try await room.baton.control("post", "News", "Look", "--attach-file", path)
      #expect(result.status == 64 && !result.lines.joined().contains("\u{1B}"), "\(result.lines)")
    }
    #expect(room.servers.allSatisfy { $0.program.lines.count == 1 })
    #expect(try await room.events().isEmpty)
    await room.stop()
  }

  @Test func editMayUpload() async throws {
    let room = try await Newsroom()
    #expect(try await room.baton.control("post", "News", "Look", "--wait", "all").status == 0)
    let edited = try await room.baton.control(
      ["post", "edit", "1", "Look now", "--attach-file", room.photo, "--wait", "all", "--json"])
    #expect(edited.status == 0, "\(edited.lines)")
    #expect(try await room.events().contains { !Self.tags("imeta", $0).isEmpty })
    await room.stop()
  }

  @Test func serversWithTLSAreChecked() async throws {
    let folder = try TemporaryFolder()
    let tls = try folder.makeCertificate(name: "IP:127.0.0.1")
    let server = try await FileServer(folder, 0, ["--cert", tls.certificate, "--key", tls.key], scheme: "https")
    let file = LocalFile(bytes: [1, 2, 3], name: "x")
    func result(_ roots: String?) async throws -> Result<String, WebFailure>? {
      await file.upload(to: [server.url], authorization: "Nostr e30", client: try WebClient(trustRoots: roots)).first?.result
    }
    guard case .failure(let known)? = try await result(tls.certificate) else { return #expect(Bool(false)) }
    #expect(known.description.contains("401"), "the server was asked: \(known)")
    try await server.program.line(containing: "PUT /upload 401")
    guard case .failure(let unknown)? = try await result(nil) else { return #expect(Bool(false)) }
    #expect(unknown.description.contains("no authority that this machine trusts"), "\(unknown)")
    #expect(server.count("PUT") == 1, "no one else was shown the authorization")
    server.program.signal(SIGKILL)
    _ = await server.program.status()
  }

  // MARK: - Names at domains

  /// Whoever writes claims a name, and the domain says whose it is.
  @Test func domainIsAskedWhoseANameIs() async throws {
    let room = try await Newsroom()
    let folder = try TemporaryFolder()
    let port = Program.freePort()
    let bob = String(room.servers[0].url.dropFirst("http://".count))
    let link = try #require(try await room.baton.control("channel", "link", "News", "--no-qr").lines.first)
    var plan = MessagePlan(
      channel: try #require(try await room.baton.read(link).json["id"]?.string), relays: [room.relayURL])
    plan.add(0, #"{"name":"Ada","nip05":"Ada@127.0.0.1:\#(port)"}"#, label: "ada", by: "ada", tags: [])
    plan.add(0, #"{"name":"Eve","nip05":"bob@\#(bob)"}"#, label: "eve", by: "eve", tags: [])
    for name in ["ada", "eve"] { plan.say("It is \(name).", by: name) }
    let written = try await room.baton.write(plan)
    #expect(written.refused.isEmpty, "\(written.refused)")
    let (ada, eve) = (try #require(written.authors["ada"]), try #require(written.authors["eve"]))
    _ = try await room.baton.watchMessages {
      $0.message("It is ada.")?["authorName"] == "Ada" && $0.message("It is eve.")?["authorName"] == "Eve"
    }
    let plain = try await room.baton.control("people", "show", ada)
    #expect(plain.status == 0 && plain.lines.contains("claims    ada@127.0.0.1:\(port) (not checked)"), "\(plain.lines)")
    let away = try await room.baton.control("people", "show", "ada@127.0.0.1:\(port)", "--check")
    #expect(away.status == 1 && away.lines.contains { $0.contains("refuses connections") }, "\(away.lines)")
    // What strangers claim has nothing on this machine asked.
    for (author, name) in [(ada, "ada@127.0.0.1:\(port)"), (eve, "bob@\(bob)")] {
      let claimed = try await room.baton.control("people", "show", author, "--check")
      #expect(claimed.status == 1 && claimed.lines.contains { $0.contains("\(name) (not asked: ") }, "\(claimed.lines)")
    }
    #expect(room.servers[0].count("GET") == 0)
    let domain = try await FileServer(folder, 9, ["--name", "ada=\(ada)"], port: port)
    let confirmed = try await room.baton.control("people", "show", "ada@127.0.0.1:\(port)", "--check")
    #expect(confirmed.status == 0, "\(confirmed.lines)")
    #expect(confirmed.lines.contains("claims    ada@127.0.0.1:\(port) (the domain confirms it)"), "\(confirmed.lines)")
    // Programs find whoever claims a name.
    let client = try await room.baton.client()
    #expect(try await client.people.list(PeopleListRequest(text: "BOB@\(bob)")).people.map(\.author) == [eve])
    await client.close()
    domain.program.signal(SIGKILL)
    _ = await domain.program.status()
    await room.stop()
  }

  @Test func namesAtDomainsAreMentioned() async throws {
    let room = try await Newsroom()
    let domain = String(room.servers[0].url.dropFirst("http://".count))
    for (index, name) in ["bob@\(domain)", "_@\(domain)", domain].enumerated() {
      let published = try await room.baton.control("post", "News", "Thanks \(index)", "--mention", name)
      #expect(published.status == 0, "\(published.lines)")
    }
    let events = try await room.events()
    #expect(
      events.count == 3 && events.allSatisfy { event in Self.tags("p", event).contains { $0[1] == Newsroom.bob } }, "\(events)")
    for (name, status, words) in [
      ("eve@\(domain)", 1, "cannot mention eve@\(domain): no one has this name"),
      ("bob@\(domain)/x", 64, "is not a domain"), ("b b@\(domain)", 64, "letters of ASCII"),
      ("bob@127.0.0.1:\(Program.freePort())", 1, "refuses connections"),
    ] as [(String, Int32, String)] {
      let refused = try await room.baton.control("post", "News", "Thanks", "--mention", name)
      #expect(refused.status == status && refused.lines.first?.contains(words) == true, "\(refused)")
    }
    try room.servers[0].fail("redirect")
    let refused = try await room.baton.control("post", "News", "Thanks", "--mention", "bob@\(domain)", "--json")
    let error = try JSONParser.parse(refused.lines.first ?? "")
    #expect(refused.status == 1 && error["error"] == "local.NameNotFound", "\(refused.lines)")
    #expect(error["message"]?.string?.contains("NIP-05 does not allow") == true)
    #expect(try await room.events().count == 3)
    await room.stop()
  }

  @Test func namesInLinesOfAnImportAreMentioned() async throws {
    let room = try await Newsroom()
    let domain = String(room.servers[0].url.dropFirst("http://".count))
    let file = room.baton.folder.path + "/posts.jsonl"
    let lines = [
      #"{"text": "First", "mentions": ["bob@\#(domain)"]}"#, #"{"text": "Second", "mentions": ["eve@\#(domain)"]}"#,
      #"{"text": "Third", "mentions": ["Bob@\#(domain)"]}"#, #"{"text": "Fourth"}"#,
    ]
    try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    let imported = try await room.baton.control("post", "import", "News", file, "--json")
    let report = try JSONParser.parse(imported.lines.first ?? "")
    #expect(imported.status == 1 && report["offered"] == 4 && report["accepted"] == 3, "\(imported.lines)")
    let refusals = report["refusals"]?.array ?? []
    #expect(refusals.count == 1 && refusals.first?["line"] == 2 && refusals.first?["error"] == "local.NameNotFound")
    #expect(refusals.first?["message"]?.string == "cannot mention eve@\(domain): no one has this name", "\(refusals)")
    try await room.servers[0].program.line(containing: "GET", from: 2)
    #expect(room.servers[0].count("GET") == 2, "each name is asked for once: \(room.servers[0].program.lines)")
    _ = try await room.baton.posts { posts in posts.count == 3 && posts.values.allSatisfy(\.isPublished) }
    let events = try await room.events()
    let mentioning = events.filter { event in Self.tags("p", event).contains { $0[1] == Newsroom.bob } }
    #expect(events.count == 3 && Set(mentioning.compactMap { $0["content"]?.string }) == ["First", "Third"], "\(events)")
    await room.stop()
  }
}
