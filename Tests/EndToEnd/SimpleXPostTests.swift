import BatonClient
import ControlAPI
import Foundation
import Glibc
import NIOPosix
import ScriptedCore
import StrictJSON
import TestTools
import Testing

/// Posts on SimpleX as people see them: the daemon, its command line, and a scripted core.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SimpleXPostTests {
  private static let relays = (1...2).map { "https://smp\($0).simplex.im/r#MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY" }

  /// A channel on both relays of a core.
  /// - Parameter settings: environment variables of the daemon.
  private func start(_ settings: [String: String] = [:]) async throws -> (
    core: ScriptedServer, baton: Installation, daemon: Program
  ) {
    let core = try await ScriptedServer(CoreModel(relays: Self.relays), group: MultiThreadedEventLoopGroup.singleton)
    // The daemon has the clock of this machine, and so has the core.
    try await core.advance(by: .seconds(Int64(Date().timeIntervalSince1970) - 1_767_225_600))
    let baton = try Installation(settings.merging(["BATON_SIMPLEX_CORE": "127.0.0.1:\(try await core.port)"]) { own, _ in own })
    let daemon = try await baton.start()
    for number in 1...2 {
      #expect(try await baton.control("relay", "add", Self.relays[number - 1], "--name", "s\(number)").status == 0)
    }
    let created = try await baton.control("channel", "create", "News", "--relay", "s1", "--relay", "s2", "--quiet")
    #expect(created.status == 0, "\(created.lines)")
    _ = try await baton.channel(1) { $0.relays.allSatisfy { $0.status == "active" } }
    return (core, baton, daemon)
  }

  private func sends(_ core: ScriptedServer) async throws -> Int {
    try await core.received.count { $0.hasPrefix("/_send") }
  }

  @Test func postIsSentOnceForAllRelaysEditedInPlaceAndDeleted() async throws {
    let (core, baton, daemon) = try await start()
    let published = try await baton.control("post", "News", "Hello", "--wait", "all")
    #expect(published.status == 0, "\(published.lines)")
    let post = try await baton.post(1) { $0["phase"] == "published" }
    #expect(post["networkId"]?.string?.hasPrefix("1/shared-") == true && post["author"] == "channel")
    #expect(try await sends(core) == 1)
    #expect(try await core.withModel { $0.itemsSeen(of: 1).map(\.relays.count) } == [2])

    let edited = try await baton.control("post", "edit", "1", "Hello again", "--wait", "all")
    #expect(edited.status == 0, "\(edited.lines)")
    let reply = try await baton.control("post", "News", "Yes", "--reply-to", "1", "--wait", "all")
    #expect(reply.status == 0, "\(reply.lines)")
    #expect(try await core.withModel { $0.itemsSeen(of: 1).map(\.text) } == ["Hello again", "Yes"])

    let deleted = try await baton.control("post", "delete", "1", "--yes")
    #expect(deleted.status == 0, "\(deleted.lines)")
    _ = try await baton.post(1) { $0["phase"] == "deleted" }
    #expect(try await core.withModel { $0.itemsSeen(of: 1).map(\.isDeleted) } == [true, false])
    let refused = try await baton.control("post", "News", "x", "--hashtag", "bridge")
    #expect(refused.status == 1 && refused.lines.last?.contains("SimpleX has no hashtags") == true, "\(refused.lines)")
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    try await core.stop()
  }

  @Test func channelReactsToItsPostAndTakesThatBack() async throws {
    let (core, baton, daemon) = try await start()
    #expect(try await baton.control("post", "News", "Hello", "--wait", "all").status == 0)
    let reacted = try await baton.control("post", "react", "1", "+", "--wait", "all")
    #expect(reacted.status == 0, "\(reacted.lines)")
    _ = try await baton.post(2) { $0["phase"] == "published" }
    #expect(try await core.withModel { $0.itemsSeen(of: 1).map(\.reactions) } == [["👍"]])
    let refused = try await baton.control("post", "react", "1", "😎")
    #expect(refused.status == 1 && refused.lines.last?.contains("eight reactions") == true, "\(refused.lines)")
    #expect(try await baton.control("post", "delete", "2", "--yes").status == 0)
    _ = try await baton.post(2) { $0["phase"] == "deleted" }
    #expect(try await core.withModel { $0.itemsSeen(of: 1).map(\.reactions) } == [[]])
    #expect(try await sends(core) == 1)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    try await core.stop()
  }

  @Test func membersAreListedAndChangedAndTheirMessagesRemoved() async throws {
    let (core, baton, daemon) = try await start()
    try await core.withModel { model in
      model.say(.init("Spam"), by: 17, channel: 1)
      for member in [18, 19] as [Int64] { model.join(member, channel: 1) }
    }
    _ = try await baton.watchMessages { $0.message("Spam") != nil }
    let client = try await baton.client()
    _ = try await client.messages.sync(channelId: 1)
    for try await _ in try await client.members.watch(since: 0) {
      if try await client.members.list(MembersListRequest(channelId: 1)).members.count == 4 { break }
    }
    let list = try await baton.control("member", "list", "News", "--columns", "AUTHOR,ROLES")
    #expect(list.lines.contains { $0.hasPrefix("member-17") && $0.hasSuffix("member") }, "\(list.lines)")

    let role = try await baton.control("member", "role", "News", "member-18", "moderator")
    #expect(role.status == 0 && role.lines.last == "member-18 is a member with the role moderator.", "\(role.lines)")
    let ban = try await baton.control("member", "ban", "News", "member-17")
    #expect(ban.status == 0 && ban.lines.last == "member-17 is banned.", "\(ban.lines)")
    let out = try await baton.control("member", "remove", "News", "member-19")
    #expect(out.status == 0 && out.lines.last == "member-19 is no longer a member.", "\(out.lines)")
    #expect(try await core.withModel { $0.peopleSeen(of: 1) } == ["17 member blocked", "18 moderator"])
    for try await _ in try await client.members.watch(since: 0) {
      let members = try await client.members.list(MembersListRequest(channelId: 1)).members
      if members.count == 3, members.contains(where: { $0.author == "member-17" && $0.banned }) { break }
    }
    await client.close()
    let stranger = try await baton.control("member", "remove", "News", "Alice")
    #expect(stranger.status == 1 && stranger.lines.joined().contains("no such member"), "\(stranger.lines)")
    let added = try await baton.control("member", "add", "News", "member-20")
    #expect(added.status == 1 && added.lines.joined().contains("by its link"), "\(added.lines)")

    let spam = try #require(try await baton.watchMessages { $0.message("Spam") != nil }.message("Spam")?["id"]?.integer)
    let reason = try await baton.control("messages", "remove", "\(spam)", "--reason", "spam")
    #expect(reason.status == 1 && reason.lines.joined().contains("no reason"), "\(reason.lines)")
    let removed = try await baton.control("messages", "remove", "\(spam)")
    #expect(removed.status == 0, "\(removed.lines)")
    _ = try await baton.watchMessages { $0.messages[spam]?["deletedAt"]?.string != nil }
    #expect(try await core.withModel { $0.itemsSeen(of: 1).filter(\.isDeleted).map(\.text) } == ["Spam"])
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    try await core.stop()
  }

  @Test func postThatWasForgottenCanBeDeleted() async throws {
    let (core, baton, daemon) = try await start()
    for text in ["Hello", "Again"] { #expect(try await baton.control("post", "News", text, "--wait", "all").status == 0) }
    let set = try await baton.control("post", "retention", "News", "--count", "1")
    #expect(set.status == 0, "\(set.lines)")
    let forgotten = try await baton.post(1) { $0["forgottenAt"]?.string != nil }
    #expect(forgotten["text"] == "" && forgotten["networkId"]?.string?.hasPrefix("1/shared-") == true)
    #expect(try await baton.control("post", "delete", "1", "--yes").status == 0)
    _ = try await baton.post(1) { $0["phase"] == "deleted" }
    #expect(try await core.withModel { $0.itemsSeen(of: 1).map(\.isDeleted) } == [true, false])
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    try await core.stop()
  }

  @Test func fileGoesWithThePostAndItsEndIsSaid() async throws {
    let folder = try TemporaryFolder()
    // As it is without symbolic links.
    let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path + "/a bridge.jpg"
    try Data("picture".utf8).write(to: URL(fileURLWithPath: path))
    let (core, baton, daemon) = try await start(["BATON_SIMPLEX_FILES": String(path.dropLast("/a bridge.jpg".count))])
    let published = try await baton.control("post", "News", "Look", "--attach-file", path, "--wait", "all")
    #expect(published.status == 0, "\(published.lines)")
    #expect(published.lines.contains { $0.hasPrefix("batonctl: warning: File servers keep its file for about 48 hours") })
    #expect(try await core.withModel { $0.itemsSeen(of: 1).map(\.file) } == [path])
    let shown = try await baton.control("post", "show", "1")
    #expect(shown.lines.contains { $0.hasPrefix("note      File servers keep its file") }, "\(shown.lines)")
    let edited = try await baton.control("post", "edit", "1", "Look again", "--attach-file", path, "--wait", "all", "--json")
    #expect(edited.status == 0 && edited.lines.count == 1, "\(edited.lines)")
    #expect(try JSONParser.parse(edited.lines.first ?? "")["notes"]?.array?.count == 1)
    let bare = try await baton.control("post", "edit", "1", "Look away")
    #expect(bare.status == 1 && bare.lines.last?.contains("/a%20bridge.jpg again") == true, "\(bare.lines)")

    // What the core must not send, and what SimpleX does not show.
    let other = baton.folder.path + "/other.jpg"
    try Data("other".utf8).write(to: URL(fileURLWithPath: other))
    let outside = try await baton.control("post", "News", "x", "--attach-file", other)
    #expect(outside.status == 1 && outside.lines.last?.contains("the folder of simplex.files") == true, "\(outside.lines)")
    // Of links batonctl attaches what they lead to, and other clients need not.
    let link = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path + "/link.jpg"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other)
    let linked = try await baton.control("post", "News", "x", "--attach", "file://" + link)
    #expect(linked.status == 1 && linked.lines.last?.contains("link.jpg is a symbolic link") == true, "\(linked.lines)")
    for (more, words) in [
      (["--attach-file", path, "--alt", "A bridge"], "SimpleX shows no file descriptions"),
      (["--attach-file", path, "--attach-file", path], "one file per post, not 2"),
      (["--attach-file", folder.path], "is not a file"), (["--attach-file", folder.path + "/none"], "cannot find"),
    ] {
      let refused = try await baton.control(["post", "News", "x"] + more)
      #expect(refused.status == 64 && refused.lines.last?.contains(words) == true, "\(refused.lines)")
    }
    #expect(try await sends(core) == 1)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    try await core.stop()
  }

  @Test func noFileIsSentUnlessAFolderIsNamed() async throws {
    let (core, baton, daemon) = try await start()
    let path = baton.folder.path + "/batond.yaml"
    let refused = try await baton.control("post", "News", "x", "--attach-file", path, "--json")
    let error = try JSONParser.parse(refused.lines.first ?? "")
    #expect(refused.status == 1 && error["error"] == "org.batond.Posts.NotSupported", "\(refused.lines)")
    #expect(error["message"]?.string?.contains("Set simplex.files") == true, "\(refused.lines)")
    #expect(try await sends(core) == 0)
    daemon.signal(SIGTERM)
    #expect(await daemon.status() == 0)
    try await core.stop()
  }

  /// The core has sent the post, and neither its answer nor the daemon is there any more.
  @Test func postWhoseAnswerIsLostIsFoundInTheChat() async throws {
    let (core, baton, daemon) = try await start()
    try await core.holdNextReply(to: "/_send")
    let published = try await baton.control("post", "News", "Hello", "--wait", "none")
    #expect(published.status == 0, "\(published.lines)")
    try await core.wait(forCommand: "/_send")
    daemon.signal(SIGKILL)
    _ = await daemon.status()
    let again = try await baton.start()
    _ = try await baton.post(1) { $0["phase"] == "published" }
    #expect(try await sends(core) == 1)
    #expect(try await core.withModel { $0.itemsSeen(of: 1).count } == 1)
    again.signal(SIGTERM)
    #expect(await again.status() == 0)
    try await core.stop()
  }
}
