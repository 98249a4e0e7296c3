import Channels
import RelayNetwork
import StrictJSON
import Testing

@testable import Nostr

/// Tests of what the network makes of something before anything is sent.
protocol ComposeSuite {}

extension ComposeSuite {
  /// A network that holds the owner's key, at a time that stands still.
  func withBench(_ body: (NostrNetwork) throws -> Void) async throws {
    let bench = try NetworkBench(identity: try PostSamples.key(), now: { 5_000 })
    try body(bench.network)
    await bench.end()
  }

  /// The event in a document.
  func event(_ document: PostDocument) throws -> NostrEvent {
    try #require(NostrEvent(json: try JSONParser.parse(document.text)))
  }
}
