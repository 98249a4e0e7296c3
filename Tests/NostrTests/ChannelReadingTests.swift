import Channels
import RelayNetwork
import Testing

@testable import Nostr

/// What events of strangers say in a followed channel.
struct ChannelReadingTests {
  private let channel = Saying.channel(1)
  private let group = Saying.group(2)
  private let ids = (1...3).map { String(repeating: "\($0)", count: 64) }

  private func message(_ tags: [[String]], _ text: String = "hello", by key: SecretKey = Saying.alice) -> ReadMessage? {
    let event = Saying.event(42, [["e", Saying.name(1), "", "root"]] + tags, text, by: key)
    guard case .message(let message)? = channel.news(of: event, isLive: true).first?.what else { return nil }
    return message
  }

  private func groupMessage(_ tags: [[String]]) -> ReadMessage? {
    let event = Saying.event(9, [["h", "club2"]] + tags, "hello")
    guard case .message(let message)? = group.news(of: event, isLive: true).first?.what else { return nil }
    return message
  }

  @Test func messageSaysWhatItsEventSays() throws {
    let event = Saying.message("hello", at: 77)
    let news = channel.news(of: event, isLive: true)
    let message = ReadMessage(
      networkID: event.id, author: Saying.alice.publicKey, text: "hello", createdAt: Timestamp(milliseconds: 77_000))
    #expect(news == [MessageNews(channel: channel.id, isLive: true, what: .message(message))])
    #expect(channel.news(of: event, isLive: false).first?.isLive == false)
    #expect(try #require(self.message([], by: sessionKey)).isOwn && !message.isOwn)
  }

  @Test(arguments: [(Int64.min, Int64(0)), (-1, 0), (.max, .max)])
  func anyDateIsTaken(_ date: Int64, _ milliseconds: Int64) {
    guard case .message(let message)? = channel.news(of: Saying.message("x", at: date), isLive: true).first?.what else {
      return #expect(Bool(false))
    }
    #expect(message.createdAt.milliseconds == milliseconds)
  }

  @Test func textThatIsTooLargeIsLeftOut() {
    let most = String(repeating: "x", count: ReadMessage.textMax)
    #expect(message([], most)?.text == most && message([], most + "x") == nil)
  }

  @Test func answerNamesTheMessageThatItAnswers() {
    #expect(message([["e", ids[0], "", "reply"]])?.replyTo == ids[0])
    #expect(message([["e", ids[0], "", "mention"]])?.replyTo == nil, "a mention is no answer")
    #expect(message([["e", "x", "", "reply"]])?.replyTo == nil)
    #expect(message([["e", Saying.name(1), "", "reply"]])?.replyTo == nil, "the channel is no message")
    // Without marks, the last one counts.
    let old = Saying.event(42, [["e", Saying.name(1)], ["e", ids[0]], ["e", ids[1]]], "x")
    guard case .message(let message)? = channel.news(of: old, isLive: true).first?.what else { return #expect(Bool(false)) }
    #expect(message.replyTo == ids[1])
    #expect(groupMessage([["e", ids[1]], ["q", ids[0]], ["q", ids[2]]])?.replyTo == ids[0])
    #expect(groupMessage([["q", "30023:x:y"], ["e", ids[1], "", "reply"]])?.replyTo == ids[1])
    #expect(groupMessage([])?.replyTo == nil)
  }

  @Test func mentionIsOfAKeyOfOurs() throws {
    #expect(message([["p", sessionKey.publicKey]])?.isMention == true)
    #expect(message([["p", PostSamples.owner]])?.isMention == true, "the identity's key is ours too")
    #expect(message([["p", PostSamples.bob]])?.isMention == false)
    #expect(message([], "see \(NIP19.npub(publicKey: PostSamples.owner).text)")?.isMention == false)
    #expect(message([], "see nostr:\(NIP19.npub(publicKey: PostSamples.owner).text)!")?.isMention == true)
    #expect(message([], "nostr:\(NIP19.nprofile(publicKey: sessionKey.publicKey, relays: []).text)")?.isMention == true)
    #expect(message([["p", PostSamples.owner]], by: sessionKey)?.isMention == false, "no one mentions themselves")
  }

  /// They hear of answers (NIP-10). In groups only the author does.
  @Test func peopleThatAMessageNamesAreKept() {
    let tags = [
      ["p", PostSamples.bob, "wss://a.example"], ["p"], ["p", "junk"], ["p", PostSamples.alice], ["p", PostSamples.bob],
    ]
    #expect(message(tags)?.participants == [PostSamples.bob, PostSamples.alice])
    #expect(message([])?.participants == [] && groupMessage(tags)?.participants == [])
    let many = (0..<60).map { ["p", PostSamples.key(number: $0)] }
    #expect(message(many)?.participants == many.prefix(50).map { $0[1] })
  }

  @Test func filesAreThoseOfTheTags() throws {
    let tags = [
      ["imeta", "url https://a.example/1.png", "m image/png", "size 123", "alt a \u{1F41F} fish", "x \(ids[0])"],
      ["imeta", "url http://a.example/2", "size -1", "m " + String(repeating: "m", count: 101)],
      ["imeta", "url javascript:alert(1)"], ["imeta", "m image/png"], ["imeta"],
      ["imeta", "url https://a.example/" + String(repeating: "x", count: 1_000)],
      ["imeta", "url https://a.example/3", "size 99999999999999999999", "alt " + String(repeating: "\u{1F41F}", count: 300)],
    ]
    let files = try #require(message(tags)).attachments
    #expect(
      files.prefix(2) == [
        ReadAttachment(url: "https://a.example/1.png", mimeType: "image/png", sizeBytes: 123, altText: "a \u{1F41F} fish"),
        ReadAttachment(url: "http://a.example/2"),
      ])
    #expect(files.count == 3 && files[2].sizeBytes == nil && files[2].altText?.utf8.count == 1_000)
    let many = (1...30).map { ["imeta", "url https://a.example/\($0)"] }
    #expect(message(many)?.attachments.count == ReadMessage.attachmentsMax)
  }

  @Test func reactionIsAboutTheLastEventThatItNames() {
    let event = Saying.event(7, [["h", "club2"], ["e", ids[0]], ["e", ids[1]]], "")
    let reaction = ReadReaction(networkID: event.id, target: ids[1], author: Saying.alice.publicKey, text: "+")
    #expect(group.news(of: event, isLive: true).map(\.what) == [.reaction(reaction)])
    #expect(group.news(of: Saying.event(7, [["h", "club2"], ["e", "x"]], "+"), isLive: true).isEmpty)
    let long = String(repeating: "x", count: ReadReaction.textMax + 1)
    #expect(group.news(of: Saying.event(7, [["h", "club2"], ["e", ids[0]]], long), isLive: true).isEmpty)
  }

  @Test func deletionNamesWhoAskedForIt() {
    let event = Saying.event(5, [["h", "club2"], ["e", ids[0]], ["e", ids[0]], ["e", "x"], ["e", ids[1]]])
    #expect(
      group.news(of: event, isLive: true).map(\.what) == [
        .deleted(networkID: ids[0], author: Saying.alice.publicKey),
        .deleted(networkID: ids[1], author: Saying.alice.publicKey),
      ])
    let many = (0..<200).map { ["e", PostSamples.key(number: $0)] }
    #expect(group.news(of: Saying.event(5, [["h", "club2"]] + many), isLive: true).count == 100)
  }

  /// Anyone can publish such a request, and not every relay checks who did.
  @Test func adminsDeletionCountsIfItIsTheRelaysOrOursAndIsToldOtherwise() {
    let tags = [["h", "club2"], ["e", ids[0]]]
    #expect(
      group.news(of: Saying.event(9005, tags, by: Saying.alice), isLive: true).map(\.what)
        == [.removed(networkID: ids[0], by: Saying.alice.publicKey)])
    #expect(
      group.news(of: Saying.event(9005, tags, by: sessionKey), isLive: true).map(\.what)
        == [.deleted(networkID: ids[0], author: nil)])
  }

  /// We are one of many there: its author is someone else, and nothing of ours counts more than theirs.
  @Test func channelOfOthersIsReadAsAnybodyReadsIt() throws {
    func reading(_ kind: ChannelKind, _ id: String, _ key: SecretKey) -> ChannelReading {
      let content = ChannelContent(
        kind: kind, identity: NetworkBench.identityID, networkID: id, trustAnchor: key.publicKey, document: "{}")
      return ChannelReading(
        FollowedChannel(id: ChannelID(rawValue: 3), content: content, relays: [:], isOwned: false),
        identityKey: sessionKey.publicKey)
    }
    let theirs = reading(.channel, Saying.name(1), Saying.alice)
    func message(_ tags: [[String]], by key: SecretKey) throws -> ReadMessage {
      let event = Saying.event(42, [["e", Saying.name(1), "", "root"]] + tags, "hello", by: key)
      guard case .message(let message)? = theirs.news(of: event, isLive: true).first?.what else {
        throw NetworkFailure("it is no message")
      }
      return message
    }
    #expect(try !message([], by: Saying.alice).isOwn && !message([["p", Saying.alice.publicKey]], by: Saying.bob).isMention)
    #expect(try message([], by: sessionKey).isOwn && message([["p", sessionKey.publicKey]], by: Saying.bob).isMention)
    let club = reading(.group, "club2", Saying.alice)
    let removal = { (key: SecretKey) in Saying.event(9005, [["h", "club2"], ["e", self.ids[0]]], by: key) }
    #expect(
      club.news(of: removal(sessionKey), isLive: true).map(\.what)
        == [.removed(networkID: ids[0], by: sessionKey.publicKey)], "the relay's list says whether we may")
    #expect(club.news(of: removal(Saying.alice), isLive: true).map(\.what) == [.deleted(networkID: ids[0], author: nil)])
  }

  @Test func eventBelongsToItsRoot() {
    var followed = FollowedChannels()
    for channel in [Saying.channel(1), Saying.channel(5), group] { followed.insert(channel) }
    func channel(_ kind: Int, _ tags: [[String]]) -> Int64? {
      followed.channel(of: Saying.event(kind, tags, "x"))?.id.rawValue
    }
    #expect(channel(42, [["e", Saying.name(5), "", "mention"], ["e", Saying.name(1), "", "root"]]) == 1)
    #expect(channel(42, [["e", Saying.name(3), "", "root"], ["e", Saying.name(1), "", "reply"]]) == nil)
    let others = (10..<210).map { ["e", Saying.name($0), "", "mention"] }
    #expect(channel(42, others + [["e", Saying.name(1), "", "root"]]) == 1)
    #expect(channel(42, [["e", ids[0]], ["e", Saying.name(1)]]) == 1)
    #expect(channel(9, [["h", "club2"]]) == 2 && channel(5, [["h", "club2"]]) == 2 && channel(42, [["h", "club2"]]) == nil)
    #expect(channel(1, [["e", Saying.name(1), "", "root"]]) == nil && channel(9, [["h", Saying.name(1)]]) == nil)
    followed.remove(ChannelID(rawValue: 1))
    #expect(channel(42, [["e", Saying.name(1), "", "root"]]) == nil)
  }

  @Test func onlySoManyIdsAreRemembered() {
    var seen = SeenEvents()
    for number in 0..<25_000 { seen.insert("\(number)") }
    #expect(seen.contains("24999") && seen.contains("15000") && !seen.contains("0"))
  }
}
