import Channels
import Foundation
import Glibc
import Logging
import NIOPosix
import RelayNetwork
import TestTools
import Testing

@testable import SimpleX

/// Posts that have a file of the core's machine: what is taken, what is stored, and what is said of them.
struct PostFileTests {
  private static let now = Timestamp(milliseconds: 1_767_225_600_000)
  private static let url = "file:///srv/files/bridge.jpg"

  private let content = ChannelContent(
    identity: IdentityID(rawValue: 1), networkID: "5/public-17", trustAnchor: "", document: "{}")

  /// A network whose core no one asks.
  private func network(_ folder: String? = "/srv/files", at time: Timestamp = Self.now) throws -> SimpleXNetwork {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let endpoint = try CoreEndpoint(host: "127.0.0.1", port: 1)
    let client = CoreClient(endpoint: endpoint, group: MultiThreadedEventLoopGroup.singleton, logger: logger)
    return SimpleXNetwork(
      client: client, lanes: [], logger: logger, now: { time }, known: { _ in nil }, served: { _, _ in [] },
      files: try folder.map { try FileFolder(path: $0) })
  }

  private func draft(_ text: String, _ urls: String...) -> PostDraft {
    PostDraft(text: text, attachments: urls.map { PostDraft.Attachment(url: $0) })
  }

  private func failure(_ draft: PostDraft, in folder: String? = "/srv/files") throws -> PostFailure? {
    let network = try network(folder)
    do throws(PostFailure) {
      _ = try network.compose(draft, in: content, at: [])
      return nil
    } catch { return error }
  }

  /// The reason for which attachments are refused.
  private func reason(_ draft: PostDraft) throws -> String {
    guard case .refused(let refusal)? = try failure(draft) else { return "" }
    return refusal.field == .attachments ? refusal.reason : ""
  }

  /// A post with a file, as it is once the core has sent it.
  private func sent() throws -> PostDocument {
    var form = PostForm(text: "Look", file: try FileAddress(Self.url))
    form.sentAt = Self.now
    return form.document(at: try #require(ItemPlace(name: "17/c2hhcmVk")))
  }

  @Test func fileGoesAlongAndItsAddressIsNotInTheText() throws {
    let document = try network().compose(draft("Look", Self.url, "https://a.example/b"), in: content, at: [])
    let form = try #require(PostForm(document))
    #expect(form.text == "Look\nhttps://a.example/b" && form.file?.path == "/srv/files/bridge.jpg" && form.preview == nil)
    #expect(form.message.file == "/srv/files/bridge.jpg" && document.networkID == "")
    // A file may stand for the text.
    let bare = try #require(PostForm(try network().compose(draft("", Self.url), in: content, at: [])))
    #expect(bare.text == "" && bare.file != nil)
    #expect(PostForm(form.document(at: .unsent)) == form)
    for text in [#""/srv/files/a""#, #""file:///srv/../a""#, #""https://a.example""#, "1", "null"] {
      let stored = #"{"edition":1,"text":"x","file":\#(text)}"#
      #expect(PostForm(PostDocument(networkID: "", author: "channel", text: stored)) == nil, "\(stored)")
    }
  }

  @Test func nothingOutsideTheFolderIsSent() throws {
    for url in ["file:///etc/passwd", "file:///srv/files2/a", "file:///srv/files", "file:///var/lib/batond/identity.key"] {
      let reason = try reason(draft("x", url))
      #expect(reason.contains("is not below /srv/files") && reason.contains("simplex.files"), "\(url): \(reason)")
    }
    for url in ["file:///srv/files/../key", "file:///srv/files/%2e%2e/key", "file:///srv/files/a%00", "file:/srv/files/a"] {
      #expect(try reason(draft("x", url)).hasPrefix("the address of attachment 1 "), "\(url)")
    }
    guard case .unsupported(let words)? = try failure(draft("x", Self.url), in: nil) else { return #expect(Bool(false)) }
    #expect(words.contains("simplex.files"))
    #expect(try failure(draft("x", "https://a.example/b"), in: nil) == nil)
  }

  /// Whoever may put files there could have any file sent that the core may read, and change it until the core opens it.
  @Test func filesThatOthersCouldReplaceAreNotSent() throws {
    let temporary = try TemporaryFolder()
    let root = URL(fileURLWithPath: temporary.path).resolvingSymlinksInPath().path
    let folder = root + "/files"
    for path in [folder + "/inside", folder + "/open", root + "/state"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for path in [root, folder, folder + "/inside"] { chmod(path, 0o755) }
    for path in [folder + "/a", folder + "/inside/a", folder + "/open/a", root + "/state/identity.key"] {
      try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    }
    for (link, target) in [
      ("link", root + "/state/identity.key"), ("state", root + "/state"), ("alias", "inside/a"), ("no", "none"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: target)
    }
    mkfifo(folder + "/pipe", 0o600)
    func reason(_ name: String) throws -> String? {
      guard case .refused(let refusal)? = try failure(draft("x", "file://\(folder)/\(name)"), in: folder) else { return nil }
      return refusal.field == .attachments ? refusal.reason : ""
    }
    for name in ["a", "inside/a", "none", "none/a"] { #expect(try reason(name) == nil, "\(name)") }
    for (name, words) in [
      ("link", "/files/link is a symbolic link"), ("state/identity.key", "/files/state is a symbolic link"),
      ("alias", "/files/alias is a symbolic link"), ("no", "/files/no is a symbolic link"), ("pipe", "not a plain file"),
      ("a/b", "not a folder"),
    ] {
      #expect(try reason(name)?.contains(words) == true, "\(name)")
    }
    for (mode, path) in [(0o775, folder + "/open"), (0o757, folder + "/open"), (0o1777, folder + "/open")] as [(UInt32, String)]
    {
      chmod(path, mode)
      #expect(try reason("open/a")?.contains("others can write to \(path)") == true, "\(mode)")
      #expect(try reason("a") == nil)
    }
    for mode: UInt32 in [0o2775, 0o777, 0o1777] {
      chmod(folder, mode)
      #expect(try reason("a")?.contains("others can write to \(folder),") == true, "\(mode)")
    }
    chmod(folder, 0o755)
    // Above the folder others may have files of their own, as long as they cannot replace it.
    chmod(root, 0o1777)
    #expect(try reason("a") == nil)
    chmod(root, 0o777)
    #expect(try reason("a")?.contains("others can write to \(root),") == true)
    chmod(root, 0o755)
    guard geteuid() == 0 else { return }
    chown(folder, 65_534, 65_534)
    #expect(try reason("a")?.contains("\(folder) belongs to another user") == true)
    #expect(try FileFolder(path: folder).weakness(user: 65_534) == nil)
  }

  @Test func aPostHasOneFileAndNothingIsSaidOfIt() throws {
    #expect(try reason(draft("x", Self.url, "file:///srv/files/b")).contains("one file per post, not 2"))
    var described = draft("x", Self.url)
    described.attachments[0].altText = "A bridge"
    #expect(try reason(described).contains("which has only its address"))
    // With a file readers see no title of a link.
    var titled = draft("x", Self.url, "https://a.example/b")
    titled.attachments[1].altText = "B"
    #expect(try reason(titled).contains("a file or a link with a title"))
  }

  @Test func editKeepsTheFileOfAPostThatWasSent() throws {
    let network = try network()
    let edited = try network.revise(try sent(), publishedAt: Self.now, as: draft("Look again", Self.url))
    let form = try #require(PostForm(edited))
    #expect(form.edition == 2 && form.text == "Look again" && form.file?.text == Self.url)
    func reason(_ old: PostDocument, _ draft: PostDraft) throws -> String {
      do throws(PostFailure) {
        _ = try network.revise(old, publishedAt: Self.now, as: draft)
        return ""
      } catch {
        guard case .refused(let refusal) = error, refusal.field == .attachments else { return "" }
        return refusal.reason
      }
    }
    #expect(try reason(try sent(), draft("Look again")).contains("Attach \(Self.url) again"))
    #expect(try reason(try sent(), draft("x", "file:///srv/files/b")).contains("cannot change or remove the file"))
    let bare = PostForm(text: "x").document(at: try #require(ItemPlace(name: "17/c2hhcmVk")))
    #expect(try reason(bare, draft("x", Self.url)).contains("cannot add a file"))
    // No one has it yet, and the core sends it as it is then.
    let unsent = try network.compose(draft("x", Self.url), in: content, at: [])
    let other = try network.revise(unsent, publishedAt: Self.now, as: draft("x", "file:///srv/files/b"))
    #expect(PostForm(other)?.file?.path == "/srv/files/b")
    #expect(try reason(unsent, draft("x", "file:///etc/passwd")).contains("is not below"))
  }

  @Test func onlyAnItemWithTheSameFileIsThePost() throws {
    let form = try #require(PostForm(try sent()))
    func item(_ text: String, _ name: String?) -> CoreItem {
      CoreItem(
        id: CoreItem.ID(rawValue: 17), sharedID: nil, sentAt: "", author: .channel, sender: nil, text: text, isMention: false,
        quote: nil, content: CoreItemContent(kind: .known(.file), text: text, link: nil, title: nil),
        file: name.map { CoreItemFile(name: $0, size: nil, state: .stored) }, status: .new, isEdited: false, deletion: nil,
        isEditable: true, isDeletable: true, reactions: [])
    }
    #expect(form.isShown(by: item("Look", "bridge.jpg")))
    for other in [item("Look", nil), item("Look", "bridge.png"), item("Look!", "bridge.jpg")] {
      #expect(!form.isShown(by: other))
    }
    #expect(!PostForm(text: "Look").isShown(by: item("Look", "bridge.jpg")))
  }

  @Test func notesSayUntilWhenReadersCanFetchTheFile() throws {
    let end = "2026-01-03T00:00:00"
    let early = try network().notes(on: try sent(), publishedAt: Self.now)
    #expect(early.count == 1 && early[0].contains("can fetch it until about \(end)"), "\(early)")
    let last = try network(at: Self.now + .seconds(172_799)).notes(on: try sent(), publishedAt: Self.now)
    #expect(last == early)
    let late = try network(at: Self.now + .seconds(172_800)).notes(on: try sent(), publishedAt: Self.now)
    #expect(late.count == 1 && late[0].contains("since about \(end)") && late[0].contains("cannot fetch"), "\(late)")
    let unsent = try network().compose(draft("x", Self.url), in: content, at: [])
    let before = try network().notes(on: unsent, publishedAt: Self.now)
    #expect(before.count == 1 && before[0].contains("48 hours once it is sent"), "\(before)")
    #expect(try network().notes(on: PostForm(text: "x").document(at: .unsent), publishedAt: Self.now).isEmpty)
    #expect(try network().notes(on: PostDocument(networkID: "a", author: "key", text: "x"), publishedAt: Self.now).isEmpty)
  }
}
