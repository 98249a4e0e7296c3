import Channels
import Foundation
import RelayNetwork
import Secrets
import StrictJSON
import TestTools
import Testing

@testable import Nostr

private func vector(_ name: String) throws -> Data {
  let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors")
  return try Data(contentsOf: folder.appendingPathComponent(name))
}

private func bytes(_ hex: Substring) -> [UInt8] { Hex.decode(hex.lowercased(), count: hex.utf8.count / 2) ?? [] }

struct VectorTests {
  @Test func bip340VectorsHold() throws {
    let text = String(decoding: try vector("bip340-test-vectors.csv"), as: UTF8.self)
    var checked = 0
    for line in text.split(whereSeparator: \.isNewline).dropFirst() {
      let row = line.split(separator: ",", omittingEmptySubsequences: false)
      let (secret, key, auxiliary, message, signature) = (
        bytes(row[1]), bytes(row[2]), bytes(row[3]), bytes(row[4]), bytes(row[5])
      )
      #expect(Signature.isValid(signature, of: message, by: key) == (row[6] == "TRUE"), "row \(row[0])")
      if !secret.isEmpty, message.count == 32 {
        let secretKey = try SecretKey(Secret(secret))
        #expect(secretKey.publicKey == Hex.encode(key))
        #expect(secretKey.sign(digest: message, auxiliary: auxiliary) == signature, "row \(row[0])")
      }
      checked += 1
    }
    #expect(checked == 19)
  }

  @Test func eventVectorsHold() throws {
    let events = try #require(try JSONParser.parse(try vector("events.json"))["events"]?.array)
    #expect(events.count > 5)
    for entry in events {
      let name = entry["name"]?.string ?? ""
      guard let json = entry["event"], let event = NostrEvent(json: json) else {
        #expect(entry["valid"]?.bool == false, "\(name) cannot be read")
        continue
      }
      let isValid = (try? event.verify()) != nil
      #expect(isValid == entry["valid"]?.bool, "\(name)")
      if let serialized = entry["serialized"]?.string, isValid {
        let ours = NostrEvent.serialized(
          publicKey: event.publicKey, createdAt: event.createdAt, kind: event.kind, tags: event.tags, content: event.content)
        #expect(String(decoding: ours, as: UTF8.self) == serialized, "\(name)")
      }
      #expect(NostrEvent(json: try JSONParser.parse(event.text)) == event, "\(name)")
    }
  }

  @Test func namesInMixedCaseAreRefused() throws {
    let name = NIP19.npub(publicKey: String(repeating: "ab", count: 32)).text
    #expect(try NIP19(name.uppercased()) == NIP19(name))
    let index = try #require(name.lastIndex { $0.isLetter })
    let mixed = name.replacingCharacters(in: index...index, with: name[index].uppercased())
    #expect(throws: NIP19.Failure.self) { try NIP19(mixed) }
  }

  @Test func firstIDOfALinkCounts() throws {
    let (first, second) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
    let text = Bech32.encode(prefix: "nevent", bytes: [0, 32] + first + [0, 32] + second)
    guard case .nevent(let id, _, _, _) = try NIP19(text) else { return #expect(Bool(false)) }
    #expect(id == Hex.encode(first))
  }

  @Test func nip19VectorsHold() throws {
    let vectors = try JSONParser.parse(try vector("nip19.json"))
    for entry in try #require(vectors["valid"]?.array) {
      let text = try #require(entry["bech32"]?.string)
      let decoded = try #require(entry["decoded"])
      let name = try NIP19(text)
      #expect(try NIP19(name.text) == name, "\(text)")
      let parts = (decoded["tlv"]?.array ?? []).compactMap(\.array)
      func values(_ type: Int64) -> [String] { parts.filter { $0[0] == .integer(type) }.compactMap { $0[1].string } }
      func texts(_ type: Int64) -> [String] { values(type).map { String(decoding: bytes(Substring($0)), as: UTF8.self) } }
      switch name {
      case .npub(let hex), .note(let hex): #expect(hex == decoded["hex"]?.string)
      case .nsec(let secret): #expect(Hex.encode(secret) == decoded["hex"]?.string)
      case .nprofile(let key, let relays):
        #expect([key] == values(0) && relays == texts(1), "\(text)")
      case .nevent(let id, let relays, let author, let kind):
        #expect([id] == values(0) && relays == texts(1) && author == values(2).first, "\(text)")
        #expect(kind == values(3).first.flatMap { UInt32($0, radix: 16) }, "\(text)")
      case .naddr(let identifier, let relays, let author, let kind):
        #expect([identifier] == texts(0) && relays == texts(1) && [author] == values(2), "\(text)")
        #expect(kind == values(3).first.flatMap { UInt32($0, radix: 16) }, "\(text)")
      }
    }
    for entry in vectors["invalid"]?.array ?? [] {
      let text = try #require(entry["bech32"]?.string ?? entry.string)
      guard entry["rust_nostr_accepts"] != true else {
        // An optional part of another size counts as missing.
        guard case .nevent(_, _, author: nil, kind: nil) = try NIP19(text) else { return #expect(Bool(false), "\(text)") }
        continue
      }
      #expect(throws: NIP19.Failure.self, "\(text)") { try NIP19(text) }
    }
  }

  @Test func signingRefusesWhatRelaysHashDifferently() {
    let key = SecretKey.random()
    for text in ["a\u{0B}b", "a\u{1F}b", "a\u{7F}b", "\u{0}"] {
      #expect(NostrEvent(signedBy: key, createdAt: 1, kind: 1, content: text) == nil)
      #expect(NostrEvent(signedBy: key, createdAt: 1, kind: 1, tags: [["t", text]], content: "") == nil)
    }
    #expect(NostrEvent(signedBy: key, createdAt: 1, kind: 1, content: "tab\tline\nslash/") != nil)
  }

  @Test func secretsStayOutOfDescriptions() throws {
    let key = SecretKey.random()
    let pair = IdentityKey(publicName: key.publicKey, secret: key.secret)
    for shown in [key, pair] as [any CustomReflectable & CustomStringConvertible] {
      var dumped = ""
      dump(shown, to: &dumped)
      let texts = ["\(shown)", String(reflecting: shown), dumped]
      #expect(texts.allSatisfy { $0.contains(key.publicKey) })
      for secret in [Hex.encode(key.secret.bytes), "\(key.secret.bytes)", "memory"] {
        #expect(!texts.contains { $0.contains(secret) }, "\(secret)")
      }
    }
  }
}

struct RelayURLTests {
  /// Two spellings mean one relay; two paths on one host mean two.
  @Test func relaysOfOneHostAreToldApart() throws {
    func key(_ address: String) throws -> String { try NostrAddressing().parse(address: address).comparisonKey }
    #expect(try key("WSS://Relay.example:443/a") == key("wss://relay.example/a"))
    #expect(try Set(["wss://relay.example/a", "wss://relay.example/b", "ws://relay.example/a"].map(key)).count == 3)
  }

  @Test(arguments: [
    ("ws://Relay.Example", "ws://relay.example"), ("wss://relay.example:443/", "wss://relay.example"),
    ("WSS://relay.example/path/", "wss://relay.example/path/"), ("ws://relay.example:80/x?y=1#z", "ws://relay.example/x?y=1"),
    ("ws://[::1]:7777", "ws://[::1]:7777"), ("ws://127.0.0.1:8080/", "ws://127.0.0.1:8080"),
    ("wss://relay.example:80", "wss://relay.example:80"), ("ws://h?x", "ws://h/?x"),
    ("ws://[0:0:0:0:0:0:0:1]:7777", "ws://[::1]:7777"), ("wss://[2001:DB8::0:1]", "wss://[2001:db8::1]"),
    ("wss://relay.example.", "wss://relay.example"),
  ])
  func spellingsHaveOneNormalForm(_ text: String, _ normal: String) throws {
    let url = try RelayURL(text)
    #expect(url.text == normal)
    #expect(try RelayURL(url.text) == url)
  }

  @Test(arguments: [
    "", "relay.example", "http://relay.example", "ws://", "ws:///x", "ws://a b", "ws://user@host", "ws://host:0",
    "ws://host:70000", "ws://host:x", "ws://[::1", "ws://[::1]x", "ws://-a.b", "ws://a..b", "wss://bücher.example",
    "ws://" + String(repeating: "a", count: 300), "ws://[:::1]", "ws://[1::2::3]", "ws://host:+1", "ws://host:٣",
  ])
  func otherTextIsRefusedWithAReason(_ text: String) {
    #expect { try RelayURL(text) } throws: { "\($0)".contains("reason") }
  }

  @Test(arguments: [
    ("http://relay.example", 0), ("ws://a b", 6), ("ws://-a.b", 5), ("ws://host:70000", 10), ("ws://[::1]x", 10),
    ("wss://bücher.example", 7), ("ws://user@host", 5), ("ws://[nonsense]", 6),
  ])
  func refusalSaysWhereItGoesWrong(_ text: String, _ position: Int) {
    #expect { try RelayURL(text) } throws: { ($0 as? InvalidAddress)?.position == position }
  }

  /// The part before the last `@` may be a password, and passwords may contain an `@`.
  @Test(arguments: [
    ("wss://user:secret@relay.example", "wss://***********@relay.example"),
    ("wss://user:p@ss:w@rd@relay.example", "wss://**************@relay.example"),
    ("wss://user:p@ss/w@rd@relay.example", "wss://**************@relay.example"),
    ("wss:/user:p@ss@relay.example", "**************@relay.example"),
    ("wss://user:secret%40relay.example", "wss://user:**********************"),
    ("user:secret@relay.example://x", "***********@relay.example://x"), ("wss:/relay.example", "wss:/relay.example"),
    ("http://relay.example:80/a:b", "http://relay.example:80/a:b"),
  ])
  func passwordsAreNotEchoed(_ text: String, _ shown: String) {
    #expect { try RelayURL(text) } throws: { ($0 as? InvalidAddress)?.address == shown }
  }

  @Test func anyTextIsAnAddressWithOneNormalFormOrRefused() async {
    let bases = [
      "wss://relay.example:8443/path?x=y", "ws://[2001:db8::1]:80/", "ws://127.0.0.1:7001", "wss://a-b.c_d.example./",
    ]
    let letters = Array("ws:/[]@#?.-_0123456789abcdefXYZ% é\u{0}中")
    var random = SplitMix64(seed: 99)
    var taken = 0
    for number in 0..<20_000 {
      if number % 256 == 0 { await Task.yield() }
      var text = Array(bases[number % bases.count])
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let index = Int.random(in: 0..<max(1, text.count), using: &random)
        let letter = letters.randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where !text.isEmpty: text[index] = letter
        case 1 where !text.isEmpty: text.remove(at: index)
        default: text.insert(letter, at: min(index, text.count))
        }
      }
      do {
        let address = try NostrAddressing().parse(address: String(text))
        #expect(try NostrAddressing().parse(address: address.text) == address, "\(String(text))")
        #expect(!address.displayHost.isEmpty && !address.host.isEmpty && !address.host.hasSuffix("."))
        taken += 1
      } catch {
        #expect(!error.reason.isEmpty)
        if let position = error.position { #expect((0...text.count).contains(position)) }
      }
    }
    #expect(taken > 2_000)
  }
}

struct RelayMessageTests {
  @Test func messagesAreRead() {
    #expect(RelayMessage("[\"OK\",\"ab\",true,\"\"]\n".utf8) == .ok(id: "ab", accepted: true, text: ""))
    #expect(RelayMessage("[\"OK\",\"\",false]".utf8) == .ok(id: "", accepted: false, text: ""))
    #expect(RelayMessage("[\"EOSE\",\"s\"]".utf8) == .endOfStored(subscription: "s"))
    #expect(RelayMessage("[\"CLOSED\",\"s\",\"error: x\"]".utf8) == .closed(subscription: "s", text: "error: x"))
    #expect(RelayMessage("[\"AUTH\",\"c\"]".utf8) == .challenge("c"))
    #expect(RelayMessage("[\"NEG-ERR\",1]".utf8) == .other("NEG-ERR"))
  }

  /// NIP-67. What is not a list of known hints says nothing, and the EOSE counts all the same.
  @Test(
    arguments: [
      ("", nil), (",[\"finish\"]", .finish), (",[\"more\"]", .more), (",[\"later\",\"finish\",7]", .finish), (",[]", nil),
      (",[\"later\"]", nil), (",[\"more\",\"finish\"]", nil), (",\"finish\"", nil), (",null", nil), (",{}", nil),
      (",[\"more\"],1", .more),
    ] as [(String, StoredHint?)])
  func endOfStoredEventsMaySayWhetherThereAreMore(_ rest: String, _ hint: StoredHint?) {
    #expect(RelayMessage("[\"EOSE\",\"s\"\(rest)]".utf8) == .endOfStored(subscription: "s", hint: hint))
  }

  @Test(arguments: ["", "hello", "[\"EOSE\",\"s\"", "[\"NOTICE\",\"\\x\"]", "[\"EOSE\",\"s\"] x"])
  func rubbishIsNotAMessage(_ text: String) {
    #expect(RelayMessage(text.utf8) == nil)
  }

  @Test(arguments: [
    "{}", "[]", "[1]", "[\"OK\",1,true]", "[\"OK\",\"a\",\"true\"]", "[\"EVENT\",\"s\"]", "[\"EVENT\",{}]", "[\"AUTH\"]",
    "[\"AUTH\",\"\\ud800\"]", "[\"EOSE\"]", "[\"EOSE\",1,[\"finish\"]]", "[\"CLOSED\",null,\"error: x\"]",
  ])
  func messageThatCannotBeUsedIsNotTakenForRubbish(_ text: String) {
    #expect(RelayMessage(text.utf8) == .unreadable(bytes: text.utf8.count))
  }

  /// The request and the date are known all the same.
  @Test(
    arguments: [
      (#"{"created_at":7,"tags":[["p",null]]}"#, 7), (#"{"created_at":7.9,"content":"x"}"#, 7), (#"{"created_at":"7"}"#, nil),
      ("{}", nil), ("null", nil), (#"{"created_at":1e300}"#, nil), (#"{"created_at":7,"content":"\ud83d"}"#, 7),
      (#"{"created_at":7,"content":"a","content":"b"}"#, 7), (#"{"created_at":NaN}"#, nil),
      (#"{"created_at":6,"created_at":7}"#, 7),
    ] as [(String, Int64?)])
  func eventThatCannotBeReadIsSaidToBeOne(_ event: String, _ createdAt: Int64?) {
    let text = "[\"EVENT\",\"s\",\(event)]"
    #expect(RelayMessage(text.utf8) == .unreadable(subscription: "s", createdAt: createdAt, bytes: text.utf8.count))
  }

  @Test func eventThatIsTooLargeDoesNotCount() throws {
    let content = String(repeating: "x", count: 1 << 20)
    let event = try #require(NostrEvent(signedBy: .random(), createdAt: 7, kind: 42, content: content))
    let text = "[\"EVENT\",\"s\",\(event.text)]"
    #expect(RelayMessage(text.utf8) == .unreadable(subscription: "s", createdAt: 7, bytes: text.utf8.count))
    #expect(RelayMessage(text.utf8, bytesMax: 2 << 20) == .event(subscription: "s", event))
  }

  /// Which of two equal members is meant, no one knows: other readers may see another event.
  @Test func goodEventWithAMemberTwiceDoesNotCount() throws {
    let event = try #require(NostrEvent(signedBy: .random(), createdAt: 7, kind: 42, content: "x"))
    let twice = "[\"EVENT\",\"s\",{\"content\":\"y\",\(event.text.dropFirst())]"
    #expect(RelayMessage("[\"EVENT\",\"s\",\(event.text)]".utf8) == .event(subscription: "s", event))
    #expect(RelayMessage(twice.utf8) == .unreadable(subscription: "s", createdAt: 7, bytes: twice.utf8.count))
  }

  @Test func wordsOfAnAnswerMayBeBroken() {
    #expect(
      RelayMessage("[\"CLOSED\",\"s\",\"error: \\ud83d\"]".utf8) == .closed(subscription: "s", text: "error: \u{FFFD}"))
    #expect(RelayMessage("[\"OK\",\"ab\",false,\"\\ud83d\"]".utf8) == .ok(id: "ab", accepted: false, text: "\u{FFFD}"))
  }
}

/// Answers of real relays, and the table of docs/design/nostr.md#what-answers-mean.
struct RelayAnswerTests {
  @Test(arguments: [
    (true, "", false, RelayAnswer.success), (true, "anything", false, .success),
    (false, "duplicate: exists", false, .success), (false, "auth-required: you must auth", false, .authenticate),
    (false, "restricted: permission denied", true, .authenticate),
    (false, "restricted: insufficient permissions", false, .permanent),
    (false, "blocked: auth-required: please", false, .authenticate), (false, "blocked: not welcome", false, .permanent),
    (false, "blocked: this relay: closed", false, .permanent),
    (false, "rate-limited: slow down", false, .transient(isRateLimit: true)),
    (false, "error: database is locked", false, .transient(isRateLimit: false)),
    (false, "mute: no one was listening", false, .transient(isRateLimit: false)),
    (false, "invalid: bad signature", false, .permanent), (false, "pow: 28 bits needed", false, .permanent),
    (false, "rejected: abc not allowed", false, .permanent), (false, "payment-required: pay", false, .permanent),
    (false, "replaced: have newer event", false, .outdated), (false, "blocked: replaced: have newer event", false, .outdated),
    (false, "unsupported: filter", false, .permanent), (false, "", false, .unknown), (false, "go away", false, .unknown),
    (false, "Rate-Limited: x", false, .transient(isRateLimit: true)),
  ])
  func answersAreClassified(_ accepted: Bool, _ text: String, _ mayAuthenticate: Bool, _ expected: RelayAnswer) {
    #expect(RelayAnswer(accepted: accepted, text: text, mayAuthenticate: mayAuthenticate) == expected)
  }
}
