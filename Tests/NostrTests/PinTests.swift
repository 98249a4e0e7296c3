import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Pins as they are stored, lists as relays show them, and what the network makes of both before anything is sent.
struct PinTests {
  private typealias Samples = PostSamples

  @Test func pinIsReadAsItWasWritten() throws {
    let pin = makePin(1)
    #expect(PinForm(pin.document) == pin && pin.document.networkID.isEmpty && pin.document.author == sessionKey.publicKey)
    #expect(PinForm(pin.taken.document) == pin.taken && pin.taken != pin)
    #expect(GroupPost(pin.document) == nil)
  }

  @Test(arguments: [
    "", "{}", "[]", "{\"pin\":7}", "{\"pin\":\"\"}", "{\"pin\":\"ID\",\"more\":1}", "{\"pin\":\"ID\",\"vainLooks\":-1}",
    "{\"pin\":\"ID\",\"vainLooks\":3}", "{\"pin\":\"ID\",\"vainLooks\":\"1\"}", "{\"pin\":\"IDID\"}", "{\"vainLooks\":1}",
  ])
  func anythingElseIsNoPin(_ text: String) {
    let text = text.replacing("ID", with: pinnedID(1))
    #expect(PinForm(PostDocument(networkID: "", author: Samples.owner, text: text)) == nil)
  }

  @Test func pinHasNoNameAndAnAuthor() {
    let text = makePin(1).document.text
    #expect(PinForm(PostDocument(networkID: "", author: Samples.owner, text: text)) != nil)
    #expect(PinForm(PostDocument(networkID: pinnedID(2), author: Samples.owner, text: text)) == nil)
    #expect(PinForm(PostDocument(networkID: "", author: "owner", text: text)) == nil)
  }

  // MARK: - Lists

  @Test func changeTouchesNothingElse() throws {
    let others = [["a", "30023:x:y", "wss://r"], ["e", pinnedID(7), "wss://r", "extra"]]
    let shown = PinnedPosts(makePins([["e"], others[0], entry(1), ["x", pinnedID(2)], others[1], entry(1)]))
    #expect(shown.entries == [others[0], entry(1), others[1], entry(1)])
    func change(_ number: Int, _ isPinned: Bool) -> [[String]]? {
      PinChange(target: pinnedID(number), isPinned: isPinned).applied(to: shown)?.entries
    }
    #expect(change(2, true) == shown.entries + [entry(2)] && change(1, false) == others)
    #expect(change(1, true) == nil && change(2, false) == nil)
    // What an `a` tag says is no id.
    #expect(!PinnedPosts(entries: [["a", pinnedID(1)]]).contains(pinnedID(1)))
  }

  @Test func longListsAndThoseThatCannotBeSignedAreNotSent() {
    let most = PinnedPosts(entries: (1...PinnedPosts.entriesMax).map(entry))
    #expect(most.trouble(isLonger: true) == nil)
    let more = most.appending(pinnedID(0))
    #expect(more.trouble(isLonger: true)?.cause == .tooLarge && more.trouble(isLonger: false) == nil)
    #expect(PinnedPosts(entries: [["a", "\u{7}"]]).trouble(isLonger: false)?.cause == .protocol)
  }

  private func answer(_ events: NostrEvent...) -> PinnedPostsReading.Answer {
    var reading = PinnedPostsReading(of: makePinGroup())
    for event in events { reading.take(event) }
    return reading.answer
  }

  private func cause(_ answer: PinnedPostsReading.Answer) -> Cause? {
    if case .flawed(let trouble) = answer { trouble.cause } else { nil }
  }

  @Test func newestListOfTheRelayCounts() {
    let (old, new) = (makePins([entry(1)], at: 1_000), makePins([entry(2)], at: 1_001))
    for events in [[old, new], [new, old]] { #expect(answer(events[0], events[1]) == .list(PinnedPosts(new))) }
    let twin = makePins([entry(3)], at: 1_001)
    let lower = twin.id < new.id ? twin : new
    #expect(answer(new, twin) == .list(PinnedPosts(lower)) && answer(twin, new) == .list(PinnedPosts(lower)))
    #expect(answer() == PinnedPostsReading.Answer.none)
    #expect(answer(makePins([entry(1)], of: "other")) == PinnedPostsReading.Answer.none)
  }

  @Test func listThatTheRelayDidNotSignIsNone() {
    let (own, foreign) = (makePins([entry(1)]), makePins([entry(2)], at: 2_000, by: .random()))
    #expect(answer(own, foreign) == .list(PinnedPosts(own)))
    #expect(cause(answer(foreign)) == .wrongIdentity)
    let forged = NostrEvent(
      id: own.id, publicKey: own.publicKey, createdAt: 3_000, kind: own.kind, tags: own.tags, content: "",
      signature: own.signature)
    #expect(cause(answer(forged)) == .wrongIdentity && answer(forged, own) == .list(PinnedPosts(own)))
  }

  // MARK: - Composing

  private func withBench(_ body: (NostrNetwork) throws -> Void) async throws {
    let bench = try NetworkBench(identity: try Samples.key())
    try body(bench.network)
    await bench.end()
  }

  @Test func pinNamesThePostThatReadersFound() async throws {
    try await withBench { network in
      let pin = try network.composePin(of: Samples.groupPost, in: Samples.group)
      #expect(PinForm(pin) == PinForm(author: Samples.owner, target: Samples.postID))
      #expect(
        network.reference(to: pin, at: ["wss://a.example"]) == nil && network.link(to: pin, at: ["wss://a.example"]) == nil)
      #expect(network.signedText(of: pin) == nil && network.date(of: pin) == nil && network.remnant(of: pin) == nil)
      let deletion = try network.composeDeletion(of: pin, in: Samples.group, reason: "old")
      #expect(GroupDeletion(deletion) == GroupDeletion(author: Samples.owner, reason: "old"))
      let forecast = network.forecast(of: PostPlace(document: pin, publishedAt: Timestamp(milliseconds: 0), capabilities: []))
      #expect(forecast.canDelete)
    }
  }

  @Test func whatCannotBePinnedIsRefusedWithTheReason() async throws {
    try await withBench { network in
      #expect {
        try network.composePin(of: Samples.post, in: Samples.channel)
      } throws: {
        guard case PostFailure.unsupported(let reason) = $0 else { return false }
        return reason.contains("NIP-28")
      }
      let unfound = PostReference(networkID: "", author: Samples.owner, kind: 9, relays: [])
      #expect {
        try network.composePin(of: unfound, in: Samples.group)
      } throws: {
        guard case PostFailure.refused(let refusal) = $0 else { return false }
        return refusal.field == .id && refusal.reason.contains("until readers find it there")
      }
      let pin = try network.composePin(of: Samples.groupPost, in: Samples.group)
      for reason in [String(repeating: "x", count: 501), Samples.Link.secret, "\u{7}"] {
        #expect(throws: PostFailure.self) { try network.composeDeletion(of: pin, in: Samples.group, reason: reason) }
      }
      let foreign = PinForm(author: Samples.bob, target: Samples.postID).document
      #expect(throws: PostFailure.unavailable(NostrNetwork.foreignPost)) {
        try network.composeDeletion(of: foreign, in: Samples.group, reason: "")
      }
      network.lock(NetworkBench.identityID)
      #expect(throws: PostFailure.unavailable(NostrNetwork.noKey)) {
        try network.composePin(of: Samples.groupPost, in: Samples.group)
      }
    }
  }
}
