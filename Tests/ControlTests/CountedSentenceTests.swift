import Sentences
import Testing

/// Sentences that hold numbers.
struct CountedSentenceTests {
  @Test(arguments: [
    (RefusalSentence.operatorInUse(servers: 1, relays: 1), "1 server and 1 relay belong to this operator"),
    (.operatorInUse(servers: 0, relays: 2), "0 servers and 2 relays belong to this operator"),
    (.relayInUse(channels: 1), "1 channel uses this relay"), (.relayInUse(channels: 2), "2 channels use this relay"),
    (.identityInUse(channels: 1), "1 channel uses this identity"),
    (.identityInUse(channels: 2), "2 channels use this identity"),
    (.notEnoughRelays(wanted: 1, available: 0), "not enough relays: 1 requested, 0 available"),
    (.notEnoughRelays(wanted: 3, available: 1), "not enough relays: 3 requested, 1 available"),
    (
      .noGroupRelays(network: "nostr", untested: 1),
      "no enabled relay on nostr is known to offer groups, and 1 was never tested"
    ),
    (.tooManyConnections(of: "user", max: 1), "you already have 1 connection to the daemon"),
  ])
  func nounsAgreeWithTheirNumbers(_ sentence: RefusalSentence, _ what: String) { #expect(sentence.what == what) }
}
