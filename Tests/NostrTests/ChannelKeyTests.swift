import Channels
import Foundation
import RelayNetwork
import Secrets
import StrictJSON
import Synchronization
import TestTools
import Testing

@testable import Nostr
@testable import Sandbox

/// Keys of channels: their derivation, and the events that are published with them.
@Suite(.timeLimit(.minutes(10)))
struct ChannelKeyTests {
  // MARK: - Derivation

  /// `Vectors/channel-keys.json` was written with Python's hmac and integers, and checked against OpenSSL and nostr-sdk.
  private static func vectors(_ part: String) throws -> [JSONValue] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors/channel-keys.json")
    let all = try JSONParser.parse(try Data(contentsOf: file))
    #expect(all["label"]?.string == SecretKey.channelLabel)
    return try #require(all[part]?.array)
  }

  private static func bytes(_ entry: JSONValue, _ field: String, count: Int = 32) throws -> [UInt8] {
    let text = try #require(entry[field]?.string)
    return try #require(Hex.decode(text, count: count))
  }

  @Test func keysAgreeWithAnIndependentImplementation() throws {
    let entries = try Self.vectors("keys")
    #expect(entries.count >= 4)
    for entry in entries {
      let identity = try SecretKey(Secret(try Self.bytes(entry, "identitySecret")))
      #expect(identity.publicKey == entry["identityPublicKey"]?.string)
      let salt = try Self.bytes(entry, "salt")
      let key = try #require(identity.channelKey(salt: salt))
      #expect(Hex.encode(key.secret.bytes) == entry["secret"]?.string, "\(entry["name"]?.string ?? "")")
      #expect(key.publicKey == entry["publicKey"]?.string)
      #expect(SecretKey.scalar(from: try Self.bytes(entry, "okm", count: 48)).bytes == key.secret.bytes)
    }
  }

  @Test func everyNumberBecomesAKey() throws {
    let entries = try Self.vectors("reductions")
    #expect(entries.count >= 10)
    for entry in entries {
      let scalar = SecretKey.scalar(from: try Self.bytes(entry, "bytes", count: 48))
      #expect(Hex.encode(scalar.bytes) == entry["scalar"]?.string, "\(entry["name"]?.string ?? "")")
      _ = try SecretKey(scalar)
    }
  }

  @Test func saltsAndKeysDiffer() throws {
    let (identity, other) = (SecretKey.random(), SecretKey.random())
    let salts = (0..<50).map { _ in SecretKey.randomSalt() }
    #expect(Set(salts).count == 50 && salts.allSatisfy { $0.count == SecretKey.saltBytes })
    let keys = salts.flatMap { [identity.channelKey(salt: $0), other.channelKey(salt: $0)] }.compactMap { $0?.publicKey }
    #expect(Set(keys).count == 100 && !keys.contains(identity.publicKey))
  }

  // MARK: - On relays

  private func draft(
    _ relays: [String], name: String = "News", key: ChannelKey? = nil, capabilities: [String: [String]] = [:]
  ) -> ChannelDraft {
    ChannelDraft(
      identity: NetworkBench.identityID, profile: Profile(displayName: name, description: "about"), relays: relays, key: key,
      capabilities: capabilities)
  }

  /// The edition that readers see instead of the newest one.
  private static func strays(_ content: ChannelContent, at address: String, _ bench: NetworkBench) async -> [StrayEdition] {
    func look(_ channel: ChannelID, _ content: ChannelContent) {
      bench.network.perform(
        RelayOperation(
          task: .verify, channel: channel, relay: RelayID(rawValue: 1), address: address, number: 1, content: content))
    }
    look(ChannelID(rawValue: 1), content)
    var strays: [StrayEdition] = []
    // When asked again, the relay has answered everything the first time.
    var outcomes = 0
    for await report in bench.reports {
      if case .stray(_, _, let stray) = report { strays.append(stray) }
      guard case .outcome = report else { continue }
      outcomes += 1
      if outcomes == 2 { break }
      look(
        ChannelID(rawValue: 2),
        ChannelContent(
          identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor,
          document: content.document,
          keySalt: content.keySalt))
    }
    return strays
  }

  private static func events(_ relay: SandboxRelay, _ filter: JSONValue) throws -> [NostrEvent] {
    relay.find(try #require(EventFilter(filter)), for: [])
  }

  private static func revised(_ content: ChannelContent, _ newEdition: ChannelEdition) -> ChannelContent {
    ChannelContent(
      identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
      edition: content.edition + 1, newestEdition: newEdition, keySalt: content.keySalt)
  }

  @Test func channelHasAKeyOfItsOwnWithAProfileAndNamesItsIdentity() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    let salt = try #require(content.keySalt)
    #expect(
      bench.identity.channelKey(salt: salt)?.publicKey == content.trustAnchor && content.trustAnchor != bench.identity.publicKey
    )

    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(await bench.perform(.verify, content, at: relay.url) == .verified(edition: 1))
    let mine: JSONValue = ["authors": [.string(content.trustAnchor)]]
    #expect(try Self.events(relay, mine).map(\.kind).sorted() == [0, 40])
    let creation = try #require(try Self.events(relay, ["kinds": [40]]).first)
    #expect(creation.tags == [["p", bench.identity.publicKey]] && creation.id == content.networkID)
    let first = try #require(try Self.events(relay, ["kinds": [0]]).first)
    #expect(try JSONParser.parse(first.content) == ["name": "News", "about": "about", "picture": ""])
    #expect(first.createdAt == creation.createdAt)

    // Handed over again, it is the same.
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    #expect(relay.eventCount == 2)

    let next = Self.revised(content, try bench.network.revise(content, as: draft([relay.url], name: "Later News")))
    #expect(await bench.perform(.announce, next, at: relay.url) == .announced)
    #expect(await bench.perform(.verify, next, at: relay.url) == .verified(edition: 2))
    #expect(try Self.events(relay, mine).map(\.kind).sorted() == [0, 40, 41])
    let second = try #require(try Self.events(relay, ["kinds": [0]]).first)
    #expect(try JSONParser.parse(second.content)["name"] == "Later News" && second.createdAt > first.createdAt)

    // A relay that joins later gets the present profile at once.
    let late = try await SandboxRelay.start()
    #expect(await bench.perform(.invite, next, at: late.url) == .accepted(link: late.url))
    #expect(try Self.events(late, mine).map(\.id).contains(second.id))

    #expect(await bench.perform(.withdraw, next, at: relay.url) == .withdrawn)
    #expect(try Self.events(relay, mine).map(\.kind) == [5])
    await bench.end()
    await relay.stop()
    await late.stop()
  }

  @Test func identitySignsWhereThatIsAskedForAndItsProfileIsLeftAlone() async throws {
    let relay = try await SandboxRelay.start()
    let start = Int64(Date().timeIntervalSince1970)
    let bench = try NetworkBench(now: { start })
    let content = try await bench.network.prepare(draft([relay.url], key: .identity))
    #expect(content.keySalt == nil && content.trustAnchor == bench.identity.publicKey)
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    let next = Self.revised(content, try bench.network.revise(content, as: draft([relay.url], name: "Later")))
    #expect(await bench.perform(.announce, next, at: relay.url) == .announced)
    #expect(await bench.perform(.verify, next, at: relay.url) == .verified(edition: 2))
    #expect(try Self.events(relay, [:]).map(\.kind).sorted() == [40, 41])
    #expect(await bench.perform(.withdraw, next, at: relay.url) == .withdrawn)
    let deletion = try #require(try Self.events(relay, ["kinds": [5]]).first)
    #expect(!deletion.tags.contains { $0.first == "a" || $0 == ["k", "0"] })
    let newest = try #require(next.newestEdition?.signedAt)
    #expect(newest > start && deletion.createdAt == newest, "it is not dated before what it deletes")
    await bench.end()
    await relay.stop()
  }

  @Test func identitySignsWhereARelayKnowsItsAuthors() async throws {
    let (open, restricted) = (try await SandboxRelay.start(), try await SandboxRelay.start(fault: .restricted))
    let bench = try NetworkBench()
    func key(_ draft: ChannelDraft) async throws -> ChannelKey {
      try await bench.network.prepare(draft).keySalt == nil ? .identity : .own
    }
    let away = "ws://127.0.0.1:1"
    #expect(try await key(draft([open.url, away])) == .own)
    #expect(try await key(draft([open.url, restricted.url])) == .identity)
    #expect(try await key(draft([open.url, restricted.url], key: .own)) == .own)
    // The result of tests is not requested again.
    for words in [["paymentRequired"], ["nip1", "restrictedWrites"]] {
      #expect(try await key(draft([open.url], capabilities: [open.url: words])) == .identity)
    }
    #expect(try await key(draft([restricted.url], capabilities: [restricted.url: ["nip42"]])) == .own)
    await bench.end()
    await open.stop()
    await restricted.stop()
  }

  @Test(arguments: [SandboxFault.auth, .authAuthor])
  func relaysThatWantToKnowWhoPublishesAreServed(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let bench = try NetworkBench()
    for name in ["One", "Two"] {
      let content = try await bench.network.prepare(draft([relay.url], name: name))
      #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url), "\(name)")
    }
    #expect(try Self.events(relay, [:]).map(\.kind).sorted() == [0, 0, 40, 40])
    #expect(relay.counts.connections == 1, "all channels of an identity share a connection")
    await bench.end()
    await relay.stop()
  }

  /// Two channels, edited in turn within a second, where the relay keeps one kind 41 per author.
  @Test(arguments: [ChannelKey.own, .identity])
  func channelsThatShareAKeyTakeEachOthersPlace(_ key: ChannelKey) async throws {
    let relay = try await SandboxRelay.start(fault: .onePerAuthor)
    let bench = try NetworkBench()
    var channels: [ChannelContent] = []
    for name in ["First", "Second"] {
      let content = try await bench.network.prepare(draft([relay.url], name: name, key: key))
      #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
      let newEdition = try bench.network.revise(content, as: draft([relay.url], name: "\(name) A"))
      channels.append(Self.revised(content, newEdition))
      #expect(await bench.perform(.announce, channels[channels.count - 1], at: relay.url) == .announced)
      #expect(await bench.perform(.verify, channels[channels.count - 1], at: relay.url) == .verified(edition: 2))
    }
    let first = await bench.perform(.verify, channels[0], at: relay.url)
    let again = await bench.perform(.announce, channels[0], at: relay.url)
    switch key {
    case .own: #expect(first == .verified(edition: 2) && again == .announced)
    case .identity:
      #expect(first == .verified(edition: 1, others: .newer))
      #expect(again == .refused(Trouble(.onePerAuthor, "replaced: have newer event")))
    }
    #expect(try Self.events(relay, ["kinds": [41]]).count == (key == .own ? 2 : 1))

    // A relay that keeps all of them is told apart.
    try await relay.set(.none)
    let newEdition = try bench.network.revise(channels[1], as: draft([relay.url], name: "Second B"))
    #expect(await bench.perform(.announce, Self.revised(channels[1], newEdition), at: relay.url) == .announced)
    if key == .identity {
      #expect(await bench.perform(.verify, channels[0], at: relay.url) == .verified(edition: 1, others: .several))
    }
    await bench.end()
    await relay.stop()
  }

  /// An edition that was signed while the clock was ahead, and that the present state does not know of.
  @Test(arguments: [SandboxFault.none, .onePerAuthor])
  func editionFromAheadIsFoundAndOutdated(_ fault: SandboxFault) async throws {
    let relay = try await SandboxRelay.start(fault: fault)
    let now = Int64(Date().timeIntervalSince1970)
    let clock = Mutex(now + 600)
    let bench = try NetworkBench(now: { clock.withLock { $0 } })
    clock.withLock { $0 = now }
    let content = try await bench.network.prepare(draft([relay.url]))
    #expect(await bench.perform(.invite, content, at: relay.url) == .accepted(link: relay.url))
    clock.withLock { $0 = now + 600 }
    let ahead = try bench.network.revise(content, as: draft([relay.url], name: "From ahead"))
    #expect(ahead.signedAt == now + 600)
    #expect(await bench.perform(.announce, Self.revised(content, ahead), at: relay.url) == .announced)
    #expect(await Self.strays(Self.revised(content, ahead), at: relay.url, bench).isEmpty)

    clock.withLock { $0 = now + 1 }
    let hidden = Self.revised(content, try bench.network.revise(content, as: draft([relay.url], name: "Present")))
    // A relay that keeps one edition says that it has a newer one; reading back shows which.
    #expect(await bench.perform(.announce, hidden, at: relay.url) == .announced)
    let strays = await Self.strays(hidden, at: relay.url, bench)
    #expect(strays == [StrayEdition(networkID: ahead.networkID, signedAt: now + 600)])

    let draft = ChannelDraft(
      identity: IdentityID(rawValue: 1), profile: Profile(displayName: "Present"), relays: [relay.url], stray: strays.first)
    let newEdition = try bench.network.revise(hidden, as: draft)
    #expect(newEdition.signedAt == now + 601)
    #expect(
      newEdition.earlier == [hidden.newestEdition?.networkID, ahead.networkID].compactMap(\.self),
      "both are taken back with the channel")
    let next = Self.revised(hidden, newEdition)
    #expect(await bench.perform(.announce, next, at: relay.url) == .announced)
    #expect(await bench.perform(.verify, next, at: relay.url) == .verified(edition: 3))
    #expect(await Self.strays(next, at: relay.url, bench).isEmpty)
    let newest = try Self.events(relay, ["kinds": [41]]).max { $0.createdAt < $1.createdAt }
    #expect(newest?.id == newEdition.networkID)

    // No relay accepts an event dated an hour ahead.
    clock.withLock { $0 = now - 3600 }
    #expect(throws: NetworkFailure.self) { try bench.network.revise(hidden, as: draft) }
    await bench.end()
    await relay.stop()
  }

  /// Relays serve what they like, whatever they were asked for.
  @Test func onlyLaterEditionsOfTheChannelByItsAuthorAreStrays() throws {
    let (owner, stranger) = (SecretKey.random(), SecretKey.random())
    func signed(_ key: SecretKey, _ kind: Int, at date: Int64, of channel: String?) throws -> NostrEvent {
      let tags = channel.map { [["e", $0, "", "root"]] } ?? []
      return try #require(NostrEvent(signedBy: key, createdAt: date, kind: kind, tags: tags, content: "{}"))
    }
    let creation = try signed(owner, PublicChannel.creationKind, at: 5, of: nil)
    let newest = try signed(owner, PublicChannel.metadataKind, at: 10, of: creation.id)
    let content = ChannelContent(
      identity: IdentityID(rawValue: 1), networkID: creation.id, trustAnchor: owner.publicKey, document: creation.text,
      edition: 2,
      newestEdition: ChannelEdition(networkID: newest.id, document: newest.text, signedAt: 10))
    var batch = ReadBatch()
    batch.add(
      SessionOperation(
        operation: RelayOperation(
          task: .verify, channel: ChannelID(rawValue: 3), relay: RelayID(rawValue: 4), address: "ws://r", number: 1,
          content: content)))
    let later = try signed(owner, PublicChannel.metadataKind, at: 11, of: creation.id)
    for event in [
      newest, creation, try signed(owner, PublicChannel.metadataKind, at: 10, of: creation.id),
      try signed(owner, PublicChannel.metadataKind, at: 9, of: creation.id),
      try signed(stranger, PublicChannel.metadataKind, at: 11, of: creation.id),
      try signed(owner, PublicChannel.metadataKind, at: 11, of: newest.id),
      try signed(owner, 42, at: 11, of: creation.id),
    ] { #expect(batch.strays(event).isEmpty, "\(event.text)") }
    let forged = try JSONParser.parse(later.text.replacingOccurrences(of: "\"created_at\":11", with: "\"created_at\":12"))
    #expect(batch.strays(try #require(NostrEvent(json: forged))).isEmpty)

    // Each is reported once, however often it is served, and older ones are not reported.
    let last = try signed(owner, PublicChannel.metadataKind, at: .max, of: creation.id)
    for event in [later, last] { #expect(batch.strays(event).map(\.channel) == [ChannelID(rawValue: 3)], "\(event.text)") }
    for event in [last, later] { #expect(batch.strays(event).isEmpty, "\(event.text)") }
  }

  /// Channels that were changed at different times share a request, whose limit covers the later editions of them all.
  @Test func requestHasALimit() throws {
    var batch = ReadBatch()
    for number in 1...3 {
      let newEdition = ChannelEdition(networkID: "edition\(number)", document: "", signedAt: Int64(number) * 1000)
      let content = ChannelContent(
        identity: IdentityID(rawValue: 1), networkID: "channel\(number)", trustAnchor: "author\(number)", document: "",
        edition: 2,
        newestEdition: newEdition)
      batch.add(
        SessionOperation(
          operation: RelayOperation(
            task: .verify, channel: ChannelID(rawValue: Int64(number)), relay: RelayID(rawValue: 4), address: "ws://r",
            number: 1, content: content)))
    }
    let later = try #require(batch.laterEditions)
    #expect(later["since"]?.integer == 1001)
    #expect(later["limit"]?.integer == 30, "six events by id, and eight more for each channel")
  }

  @Test func nothingIsSignedWithAKeyThatReadersDoNotKnow() async throws {
    let relay = try await SandboxRelay.start()
    let bench = try NetworkBench()
    let content = try await bench.network.prepare(draft([relay.url]))
    let damaged = ChannelContent(
      identity: content.identity, networkID: content.networkID, trustAnchor: content.trustAnchor, document: content.document,
      keySalt: SecretKey.randomSalt())
    #expect(throws: NetworkFailure.self) { try bench.network.revise(damaged, as: draft([relay.url])) }
    guard case .refused(let trouble)? = await bench.perform(.withdraw, damaged, at: relay.url) else {
      return #expect(Bool(false))
    }
    #expect(trouble.cause == .authRequired)
    await bench.end()
    await relay.stop()
  }
}
