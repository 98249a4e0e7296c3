import RelayNetwork
import Testing

@testable import Nostr

/// What is said about edits and deletions before they happen.
struct PostForecastTests {
  @Test func deletionIsForeseenWhereTheRelaySaysThatItDeletes() {
    let forecast = NostrNetwork.forecast(at: ["nip1", "nip9"])
    #expect(forecast.canEdit && forecast.canDelete && forecast.deleteNote == nil && forecast.until == nil)
    #expect(forecast.editNote == "an edit is a new post and the deletion of this one. Replies remain with this one")
  }

  @Test(arguments: [[], ["authRequired"], ["nip1", "nip11", "nip90"]])
  func elsewhereTheRelayMayKeepThePost(_ capabilities: [String]) {
    let forecast = NostrNetwork.forecast(at: capabilities)
    #expect(forecast.canEdit && !forecast.canDelete && forecast.editNote?.hasSuffix("the relay may continue to show") == true)
    let reason = capabilities.contains("nip1") ? "does not say that it deletes posts" : "has not said whether it deletes posts"
    #expect(forecast.deleteNote?.contains(reason) == true)
  }
}
