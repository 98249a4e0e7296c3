import Channels
import RelayNetwork
import Testing

@testable import Nostr

/// Reports of messages (NIP-56).
struct ReportComposeTests {
  private static let target = PostReference(
    networkID: String(repeating: "c", count: 64), author: String(repeating: "b", count: 64), relays: ["wss://r.example"])

  private func report(
    _ category: Report.Category, _ words: String = ""
  ) throws -> NostrPost {
    try .report(Report(category: category, words: words), of: Self.target, in: PostSamples.channel, by: PostSamples.owner)
  }

  @Test(arguments: Report.Category.allCases)
  func reportNamesTheMessageItsAuthorAndWhatIsWrong(_ category: Report.Category) throws {
    let post = try report(category, "every hour")
    #expect(post.kind == 1_984 && post.content == "every hour" && post.author == PostSamples.owner)
    #expect(post.tags == [["e", Self.target.networkID, category.rawValue], ["p", Self.target.author]])
  }

  @Test(arguments: [
    String(repeating: "a", count: 501), "a\u{1}",
    "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5",
  ])
  func wordsThatNobodyMaySignAreRefused(_ words: String) {
    #expect { try report(.other, words) } throws: { ($0 as? PostRefusal)?.field == .text }
  }
}
