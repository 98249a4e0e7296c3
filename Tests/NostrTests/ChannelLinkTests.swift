import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Links to channels of others, and what relays show of them.
struct ChannelLinkTests {
  private let id = Saying.name(7)
  private let author = Saying.alice.publicKey

  private func read(_ text: String) throws(NetworkFailure) -> ChannelReference? { try ChannelReference(nostrLink: text) }

  private func refusal(_ text: String) -> String {
    do throws(NetworkFailure) {
      return "\(String(describing: try read(text)))"
    } catch { return error.description }
  }

  @Test func linksToChannelsAndGroupsAreRead() throws {
    let relays = ["wss://Relay.example/", "ftp://nothing", "ws://127.0.0.1:7000"]
    let normal = ["wss://relay.example", "ws://127.0.0.1:7000"]
    let event = NIP19.nevent(id: id, relays: relays, author: author, kind: 40).text
    let channel = ChannelReference(kind: .channel, networkID: id, trustAnchor: author, relays: normal)
    #expect(try read("nostr:" + event) == channel && read(event) == channel && read("NOSTR:" + event) == channel)
    let bare = NIP19.nevent(id: id, relays: [], author: nil, kind: nil).text
    let plain = ChannelReference(kind: .channel, networkID: id, trustAnchor: nil, relays: [])
    #expect(try read(bare) == plain && read(NIP19.note(id: id).text) == plain)
    let group = NIP19.naddr(identifier: "club-1", relays: relays, author: author, kind: 39_000).text
    #expect(try read(group) == ChannelReference(kind: .group, networkID: "club-1", trustAnchor: author, relays: normal))
    // What Baton itself gives readers is read.
    let own = PublicChannel.link(id: id, author: author, relays: normal)
    #expect(try read(own) == channel)
    let ownGroup = RelayGroup.link(id: "club-1", author: author, relays: normal)
    #expect(try read(ownGroup)?.relays == ["wss://relay.example"], "a group lives on one")
  }

  @Test func linksAreReadAsPeopleHaveThem() throws {
    let event = NIP19.nevent(id: id, relays: [], author: author, kind: 40).text
    let channel = ChannelReference(kind: .channel, networkID: id, trustAnchor: author, relays: [])
    let texts = [
      "https://njump.me/\(event)", "http://njump.me/e/\(event)?x=1", "HTTPS://NJUMP.ME/" + event.uppercased(),
      "https://a.example/#/\(event)", "https://a.example/?q=nostr%3A\(event)&r=1", "<https://njump.me/\(event)>",
      " \n<nostr:\(event)>\r\n", "\u{FEFF}\(event)\r", "web+nostr:\(event)", "nostr://\(event)", "nostr:\(event).",
      "“\(event)”",
    ]
    for text in texts { #expect(try read(text) == channel, "\(text.debugDescription)") }
    let bare = ChannelReference(kind: .channel, networkID: id, trustAnchor: nil, relays: [])
    #expect(try read("https://chat.example/channel/\(id)") == bare)
    let group = NIP19.naddr(identifier: "club-1", relays: [], author: author, kind: 39_000).text
    #expect(try read("https://njump.me/\(group)")?.networkID == "club-1")
    #expect(refusal("https://njump.me/" + NIP19.npub(publicKey: author).text) == "it names a person")
    #expect(
      refusal("https://njump.me/\(event.dropLast())") == "the link is malformed: it is not bech32 with a right checksum")
    #expect(try read("https://smp6.simplex.im/c#yxNOMJcry5jMTRPEBVtGBATYaKeoRIsZRBPIDLx7x6M") == nil)
    let relays = (1...30).map { "wss://r\($0).example" }
    #expect(try read(NIP19.nevent(id: id, relays: relays, author: nil, kind: nil).text)?.relays == relays)
    for person in [
      "https://njump.me/\(NIP19.npub(publicKey: author).text)", " NOSTR:\(NIP19.npub(publicKey: author).text)\r\n",
    ] {
      #expect(PostNames.publicKey(person) == author)
    }
  }

  @Test func optionalPartsOfAnotherSizeAreLeftOut() throws {
    let bytes = try #require(Hex.decode(id, count: 32))
    func link(_ prefix: String, _ parts: [(UInt8, [UInt8])]) -> String {
      Bech32.encode(prefix: prefix, bytes: parts.flatMap { [$0.0, UInt8($0.1.count)] + $0.1 })
    }
    let bare = ChannelReference(kind: .channel, networkID: id, trustAnchor: nil, relays: [])
    for size in [0, 1, 31, 33, 64] {
      #expect(
        try read(link("nevent", [(0, bytes), (2, Array(repeating: 7, count: size)), (3, Array(repeating: 0, count: size))]))
          == bare)
    }
    #expect(
      refusal(link("naddr", [(0, Array("club".utf8)), (2, []), (3, [0, 0, 152, 88])]))
        == "the link is malformed: a required part is missing")
    #expect(refusal(link("nevent", [(0, [1, 2])])) == "the link is malformed: a part has the wrong length")
  }

  @Test func keyOfTheContactStandsForThatOfTheRelay() throws {
    let (contact, own) = (author, Saying.bob.publicKey)
    let group = ChannelReference(kind: .group, networkID: "club", trustAnchor: contact, relays: [])
    func signer(_ json: JSONValue, of channel: ChannelReference) -> String? {
      channel.signed(asSaidBy: RelayInformation(json: json))?.trustAnchor
    }
    #expect(signer(["pubkey": .string(contact.uppercased()), "self": .string(own)], of: group) == own)
    #expect(signer(["pubkey": .string(Saying.name(9)), "self": .string(own)], of: group) == nil, "that is another's group")
    #expect(signer(["pubkey": .string(contact)], of: group) == nil && group.signed(asSaidBy: nil) == nil)
    let channel = ChannelReference(kind: .channel, networkID: id, trustAnchor: contact, relays: [])
    #expect(signer(["pubkey": .string(contact), "self": .string(own)], of: channel) == nil)
  }

  @Test func otherTextsAreNotLinksOrSayWhyNot() throws {
    for text in ["", "news", "https://relay.example/c#key", String(repeating: "nevent1", count: 1_000)] {
      #expect(try read(text) == nil, "\(text.prefix(40))")
    }
    let event = NIP19.nevent(id: id, relays: [], author: nil, kind: 1).text
    #expect(refusal(event) == "it names an event of kind 1, and public channels have kind 40")
    #expect(refusal(String(event.dropLast())) == "the link is malformed: it is not bech32 with a right checksum")
    #expect(refusal("nostr:news") == "the link is malformed: it is not bech32 with a right checksum")
    let article = NIP19.naddr(identifier: "a", relays: [], author: author, kind: 30_023).text
    #expect(refusal(article) == "it names an event of kind 30023, and groups have kind 39000")
    let odd = NIP19.naddr(identifier: "a b", relays: [], author: author, kind: 39_000).text
    #expect(refusal(odd) == "the name of the group has characters that groups do not have")
    #expect(refusal("nostr:" + NIP19.npub(publicKey: author).text) == "it names a person")
    let secret = NIP19.nsec(secret: Array(repeating: 7, count: 32)).text
    for text in [secret, "nostr:" + secret] {
      #expect(!refusal(text).contains(secret) && refusal(text).hasPrefix("it is a secret key"))
    }
  }

  // MARK: - What relays show

  private func found(_ reference: ChannelReference, _ events: [NostrEvent]) -> String {
    do throws(NetworkFailure) {
      let channel = try reference.channel(in: events, for: NetworkBench.identityID)
      return "\(channel.name) | \(channel.about) | \(channel.content.trustAnchor.prefix(8))"
    } catch { return error.description }
  }

  private func content(_ name: String, _ about: String = "") -> String {
    PublicChannel.content(name: name, about: about, picture: "", relays: [])
  }

  @Test func channelHasTheNameOfItsNewestEdition() throws {
    let first = Saying.event(40, [], content("First", "about it"), at: 100)
    func edition(_ name: String, at date: Int64, by key: SecretKey = Saying.alice, of id: String? = nil) -> NostrEvent {
      Saying.event(41, [["e", id ?? first.id, "", "root"]], content(name), at: date, by: key)
    }
    let channel = ChannelReference(kind: .channel, networkID: first.id, trustAnchor: nil, relays: [])
    let key = author.prefix(8)
    #expect(found(channel, [first]) == "First | about it | \(key)")
    #expect(found(channel, [edition("Later", at: 300), edition("Second", at: 200), first]) == "Later |  | \(key)")
    // Of two of one second, the one with the lower id counts (NIP-01), in whatever order they are served.
    let twins = [edition("Left", at: 700), edition("Right", at: 700)]
    let winner = twins[0].id < twins[1].id ? "Left" : "Right"
    #expect(found(channel, twins + [first]) == "\(winner) |  | \(key)")
    #expect(found(channel, [first] + twins.reversed()) == "\(winner) |  | \(key)")
    // Others, and editions of other channels, change nothing.
    let strange = [edition("Evil", at: 400, by: Saying.bob), edition("Other", at: 400, of: id), first]
    #expect(found(channel, strange) == "First | about it | \(key)")
    let forged = edition("Forged", at: 500).saying(content("Changed"))
    #expect(found(channel, [first, forged]) == "First | about it | \(key)")
    let unreadable = Saying.event(41, [["e", first.id]], "no JSON", at: 600)
    #expect(found(channel, [first, unreadable]) == "First | about it | \(key)")
    let named = ChannelReference(kind: .channel, networkID: first.id, trustAnchor: author, relays: [])
    #expect(found(named, [first]) == "First | about it | \(key)")
  }

  @Test func channelsThatAreNotThereOrForgedAreRefused() {
    let first = Saying.event(40, [], content("First"), at: 100)
    let channel = ChannelReference(kind: .channel, networkID: first.id, trustAnchor: nil, relays: [])
    #expect(found(channel, []) == "it does not serve the channel")
    #expect(found(channel, [Saying.event(40, [], content("Other"))]) == "it does not serve the channel")
    #expect(
      found(channel, [first.saying(content("Evil"))]) == "it serves a forgery: the event's id is not the hash of its content")
    let note = Saying.event(1, [], "hello")
    let wrong = ChannelReference(kind: .channel, networkID: note.id, trustAnchor: nil, relays: [])
    #expect(found(wrong, [note]) == "the link names an event of kind 1, and public channels have kind 40")
    let other = ChannelReference(
      kind: .channel, networkID: first.id, trustAnchor: Saying.bob.publicKey, relays: [])
    #expect(found(other, [first]) == "the channel and the link have different authors")
  }

  @Test func groupIsWhatItsRelaySigned() {
    func state(_ name: String, at date: Int64, by key: SecretKey = Saying.alice, of id: String = "club") -> NostrEvent {
      Saying.event(39_000, [["d", id], ["name", name], ["about", "we talk"]], at: date, by: key)
    }
    let group = ChannelReference(kind: .group, networkID: "club", trustAnchor: author, relays: [])
    let key = author.prefix(8)
    #expect(found(group, [state("Old", at: 1), state("Club", at: 2)]) == "Club | we talk | \(key)")
    #expect(found(group, [state("Evil", at: 3, by: Saying.bob)]) == "it does not show the group")
    #expect(found(group, [state("Other", at: 3, of: "other")]) == "it does not show the group")
  }
}

extension NostrEvent {
  /// The same event with another content, which its id and signature do not fit.
  fileprivate func saying(_ content: String) -> NostrEvent {
    NostrEvent(
      id: id, publicKey: publicKey, createdAt: createdAt, kind: kind, tags: tags, content: content, signature: signature)
  }
}
