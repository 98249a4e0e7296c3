import Sentences
import Testing

/// Sentences that hold numbers.
struct CountedSentenceTests {
  @Test(arguments: [
    (RefusalSentence.operatorInUse(servers: 1, relays: 1), "1 server and 1 relay belong to this operator"),
    (.operatorInUse(servers: 0, relays: 2), "0 servers and 2 relays belong to this operator"),
    (.relayInUse(channels: 1), "1 channel uses this relay"), (.relayInUse(channels: 2), "2 channels use this relay"),
    (.identityInUse(channels: 1), "1 channel belongs to this identity, or is read for it"),
    (.identityInUse(channels: 2), "2 channels belong to this identity, or are read for it"),
    (.notEnoughRelays(wanted: 1, available: 0), "1 relay was asked for, 0 can be used"),
    (.notEnoughRelays(wanted: 3, available: 1), "3 relays were asked for, 1 can be used"),
    (.noGroupRelays(network: "nostr", untested: 1), "no enabled relay on nostr is known to offer groups; 1 was never tested"),
    (.tooManyConnections(of: "user", max: 1), "you have 1 connection to the daemon already"),
  ])
  func nounsAgreeWithTheirNumbers(_ sentence: RefusalSentence, _ what: String) { #expect(sentence.what == what) }
}
