import BatonClient
import Foundation
import Glibc
import StrictJSON
import TestTools
import Testing

/// examples/feed-to-channel publishes each item once, whatever happens.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct FeedExampleTests {
  private static let script = Program.repository + "/examples/feed-to-channel/feed_to_channel.py"

  /// A feed on a web server of its own.
  private struct Feed {
    private let folder: TemporaryFolder
    private let server: Program
    let url: String

    init() async throws {
      folder = try TemporaryFolder()
      let port = Program.freePort()
      server = try Program(
        "/usr/bin/python3",
        ["-u", "-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory", folder.path])
      try await server.line(containing: "Serving HTTP")
      url = "http://127.0.0.1:\(port)/feed.xml"
    }

    func write(_ text: String) throws {
      try text.write(toFile: folder.path + "/feed.xml", atomically: true, encoding: .utf8)
    }

    /// RSS with these titles, the newest first; the identifier of an item is its number.
    func write(rss titles: [(Int, String)]) throws {
      let items = titles.map { number, title in
        "<item><guid isPermaLink=\"false\">\(number)</guid><title>\(title)</title><link>https://city.example/\(number)</link></item>"
      }
      try write("<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>City</title>\(items.joined())</channel></rss>")
    }

    func write(atom titles: [(Int, String)]) throws {
      let entries = titles.map { number, title in
        "<entry><id>urn:city:\(number)</id><title>\(title)</title><link href=\"https://city.example/\(number)\"/></entry>"
      }
      try write("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>City</title>\(entries.joined())</feed>")
    }

    func stop() async {
      server.signal(SIGKILL)
      _ = await server.status()
    }
  }

  private static func environment(_ baton: Installation) -> [String: String] {
    ["BATON_SOCKET": baton.socket, "no_proxy": "127.0.0.1"]
  }

  private func run(_ baton: Installation, _ feed: Feed) async throws -> (status: Int32, lines: [String]) {
    try await Program.run(
      "/usr/bin/python3", [Self.script, "News", feed.url], environment: Self.environment(baton))
  }

  @Test func everyItemAppearsOnce() async throws {
    let sandbox = try Program("baton-sandbox", ["--relays", "1"])
    let address = try #require(try await sandbox.sandboxRelays(1).first)
    let baton = try Installation()
    var daemon = try await baton.start()
    try await baton.addRelays([address])
    let channel = try await baton.createChannel("News", relays: ["r1"])
    let feed = try await Feed()

    // The oldest item first, and a second run publishes nothing.
    try feed.write(rss: [(3, "Third &amp; last"), (2, "Second"), (1, "First")])
    let first = try await run(baton, feed)
    #expect(first.status == 0 && first.lines == ["post 1: First", "post 2: Second", "post 3: Third & last"], "\(first.lines)")
    let second = try await run(baton, feed)
    #expect(second.status == 0 && second.lines.isEmpty, "\(second.lines)")

    // An item that was edited stays as it is; a deleted post does not come back.
    #expect(try await baton.control("post", "delete", "2").status == 0)
    try feed.write(rss: [(4, "Fourth"), (3, "Third, corrected"), (2, "Second"), (1, "First")])
    let third = try await run(baton, feed)
    #expect(third.status == 0 && third.lines == ["post 4: Fourth"], "\(third.lines)")

    // Program and daemon are killed in the middle.
    try feed.write(rss: (5...104).reversed().map { ($0, "Item \($0)") })
    let killed = try Program(
      "/usr/bin/python3", [Self.script, "News", feed.url], environment: Self.environment(baton))
    try await killed.line(containing: "post ")
    killed.signal(SIGKILL)
    _ = await killed.status()
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    daemon = try await baton.start()
    #expect(try await run(baton, feed).status == 0)
    let quiet = try await run(baton, feed)
    #expect(quiet.status == 0 && quiet.lines.isEmpty, "\(quiet.lines)")

    let posts = try await baton.posts { posts in
      posts.count == 104 && posts.values.allSatisfy { $0.isPublished || $0["phase"] == "deleted" }
    }
    let titles = posts.sorted { $0.key < $1.key }.compactMap { $0.value["text"]?.string?.split(separator: "\n").first }
    let expected = ["First", "Second", "Third & last", "Fourth"] + (5...104).map { "Item \($0)" }
    #expect(titles.map(String.init) == expected)
    #expect(posts[1]?["text"] == "First\n\nhttps://city.example/1")
    #expect(try await baton.posts(of: channel, at: address).count == 103)

    // Atom, and what must not be read.
    try feed.write(atom: [(2, "Atom two"), (1, "Atom one")])
    let atom = try await run(baton, feed)
    #expect(atom.status == 0 && atom.lines.map { $0.hasSuffix(": Atom one") } == [true, false], "\(atom.lines)")
    let bomb = "<!DOCTYPE rss [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>"
    try feed.write("<?xml version=\"1.0\"?>\(bomb)<rss><channel><item><title>&b;</title></item></channel></rss>")
    let refused = try await run(baton, feed)
    #expect(refused.status == 1 && refused.lines.contains { $0.contains("DOCTYPE") }, "\(refused.lines)")
    #expect(try await baton.posts { $0.count >= 106 }.count == 106)

    await feed.stop()
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  /// What the program makes of feeds as others write them, without a daemon.
  @Test func titlesAreWhatReadersSee() async throws {
    let folder = try TemporaryFolder()
    let rss = """
      <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>City</title>
      <item><title>1 &lt; 2</title><guid>2</guid></item>
      <item><media:title>Photo</media:title><title>&lt;b&gt;Big&lt;/b&gt;, news &amp;amp; more&lt;br/&gt;Two</title>
      <link>https://city.example/?a=1&amp;copy=2</link><guid>1</guid></item></channel></rss>
      """
    let atom = """
      <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>2</id><title>a &lt;b&gt; tag</title></entry>
      <entry><id>1</id><title type="html">&lt;i&gt;x&lt;/i&gt;</title></entry></feed>
      """
    for (name, text) in [("rss", rss), ("atom", atom)] {
      try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }
    let program = """
      import gzip, json, sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
      import feed_to_channel as feed
      for name in sys.argv[2:]:
          data = open(name, "rb").read()
          assert feed.unpacked(gzip.compress(data)) == data == feed.unpacked(data)
          print(json.dumps([text for _, text in feed.items(data)]))
      """
    let (status, lines) = try await Program.run(
      "/usr/bin/python3",
      ["-c", program, Program.repository + "/examples/feed-to-channel", folder.path + "/rss", folder.path + "/atom"])
    #expect(status == 0 && lines.count == 2, "\(lines)")
    let texts = try lines.map { try JSONParser.parse($0) }
    #expect(texts == [["Big, news & more Two\n\nhttps://city.example/?a=1&copy=2", "1 < 2"], ["x", "a <b> tag"]], "\(lines)")
  }

  /// As the unit of the example runs it.
  @Test(.enabled(if: geteuid() == 0, "only root can become other users"))
  func aUserWhoMayOnlyPublishCanRunIt() async throws {
    let publishers = try Publishers()
    let baton = try Installation()
    let (daemon, sandbox) = try await publishers.start(baton)
    let feed = try await Feed()
    try feed.write(rss: [(2, "Second"), (1, "First")])
    func run(isMember: Bool) async throws -> (status: Int32, lines: [String]) {
      try await publishers.run(
        "/usr/bin/python3", [Self.script, "News", feed.url], isMember: isMember, environment: Self.environment(baton))
    }
    let stranger = try await run(isMember: false)
    #expect(stranger.status == 1, "\(stranger.lines)")
    let publisher = try await run(isMember: true)
    #expect(publisher.status == 0 && publisher.lines == ["post 1: First", "post 2: Second"], "\(publisher.lines)")
    await feed.stop()
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    sandbox.signal(SIGKILL)
    _ = await sandbox.status()
  }

  @Test func theExampleIsShort() throws {
    let lines = try String(contentsOfFile: Self.script, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count < 100)
  }
}
