import Channels
import RelayNetwork
import Secrets
import StrictJSON

@testable import Nostr

/// A channel and a group, people and posts in them, and how posts look when names stand for keys and ids.
enum PostSamples {
  static let owner = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
  static let alice = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
  static let bob = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"
  static let carol = "e493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13"

  static let channelID = String(repeating: "11", count: 32)
  static let postID = String(repeating: "22", count: 32)
  static let quotedID = String(repeating: "33", count: 32)
  static let linkedID = String(repeating: "44", count: 32)
  static let editionID = String(repeating: "aa", count: 32)
  static let earlierID = String(repeating: "bb", count: 32)

  /// The owner's key is the number 1, so that its public key is known.
  static func key() throws -> SecretKey { try SecretKey(Secret([UInt8](repeating: 0, count: 31) + [1])) }

  /// A name of 64 digits that no one else has.
  static func key(number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.utf8.count) + digits
  }

  static let channel = ChannelContent(
    identity: NetworkBench.identityID, networkID: channelID, trustAnchor: owner, document: "{}", edition: 3,
    newestEdition: ChannelEdition(networkID: editionID, document: "{}", signedAt: 2, earlier: [earlierID]))
  static let group = ChannelContent(
    kind: .group, identity: NetworkBench.identityID, networkID: "club", trustAnchor: carol, document: "{}")

  /// Alice's post, which mentions Bob.
  static let post = PostReference(
    networkID: postID, author: alice, kind: 42, relays: ["wss://a.example", "wss://b.example"], participants: [bob])
  /// The same in a group.
  static let groupPost = PostReference(
    networkID: postID, author: alice, kind: 9, relays: post.relays, participants: post.participants)
  /// Bob's post, of an unknown kind.
  static let quoted = PostReference(networkID: quotedID, author: bob, relays: ["wss://b.example"])

  /// Links that other programs wrote for these posts and people.
  enum Link {
    static let bob = "nostr:npub1lycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmus6gq266"
    static let bobWithRelay =
      "nostr:nprofile1qqs0jvy2qxf93scsfy6ylp0cn4fzndf3epzcxmuekzrqrugnhnsrd7gppamhxue69uhkytn90psk6urvv5kvuenl"
    static let carol = "nostr:npub1ujfahuwppkq0xkq7fyzfxzc5qnxxcyuspms8tpr5l222h6xye5fsccv64k"
    static let quoted =
      "nostr:nevent1qqsrxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvcppamhxue69uhkytn90psk6urvv5pzp7fs3gqeykxrzpyngnu9lzw4y2d4x8y"
      + "ytqm0nxcgvq03zw7wqdhee2jhmk"
    /// Alice's post, of kind 9.
    static let post =
      "nostr:nevent1qqszyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygsppamhxue69uhkztn90psk6urvv5qs7amnwvaz7tmz9ejhsctdwpkx2q3qccz"
      + "8l9zpa47k6vz9gphftsrumpw80rjt3nhnefat4symjhrsnmjsxpqqqqqqjgh7w5k"
    static let linked = "nostr:note1g3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zq460e8r"
    static let linkedOfBob =
      "nostr:nevent1qqsyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3qzyrunpzspjfvvxyzfx38ct7ya2g5m2vwggkpklxdsscqlzyauuqm0j5zx7rt"
    static let secret = "nsec1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqzqs9fwtq"
  }

  private static let words = [
    ("BOB-LINK", Link.bob), ("BOB-PROFILE", Link.bobWithRelay), ("CAROL-LINK", Link.carol), ("QUOTED-LINK", Link.quoted),
    ("POST-LINK", Link.post), ("LINKED-NOTE", Link.linked), ("LINKED-BOB", Link.linkedOfBob), ("OWNER", owner),
    ("ALICE", alice),
    ("BOB", bob), ("CAROL", carol), ("CHANNEL", channelID), ("POST", postID), ("QUOTED", quotedID), ("LINKED", linkedID),
  ]

  /// Kind, tags and content as JSON, with words in place of keys, ids and links.
  static func shown(_ post: NostrPost) -> String {
    let tags = JSONValue.array(post.tags.map { .array($0.map(JSONValue.string)) })
    return named(JSONValue.array([.integer(Int64(post.kind)), tags, .string(post.content)]).text)
  }

  /// A text with words in place of keys, ids and links.
  static func named(_ text: String) -> String { words.reduce(text) { $0.replacing($1.1, with: $1.0) } }

  static func message(_ draft: PostDraft, at relays: [String] = ["wss://a.example"]) throws -> NostrPost {
    try NostrPost(draft, in: channel, at: relays, by: owner)
  }

  static func groupMessage(_ draft: PostDraft, attempt: NostrPost.Attempt = .init()) throws -> NostrPost {
    try NostrPost(draft, in: group, by: owner, attempt: attempt)
  }
}
