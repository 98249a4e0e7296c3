internal import BatonClient
internal import ControlAPI

/// Searches messages and shows the results.
struct MessageSearching {
  let session: Session
  let view: MessageView
  /// The largest number of results shown.
  let limit: Int

  /// Makes relays search, and names the relays that did not.
  /// - Parameter seconds: how long the relays have, 30 if `nil`.
  func askRelays(of channel: Int64, for text: String, within seconds: Int?) async throws {
    // The relays' time limit applies, and the daemon replies when it is over.
    session.ending.stopClock()
    let request = MessagesSearchRelaysRequest(channelId: channel, text: text, timeout: seconds)
    let relays = try await session.raw.messages.searchRelays(request)
    for relay in relays {
      let name = "relay '\(relay.relayName.shown)'"
      switch relay.outcome {
      case "failed": session.ending.warn("local.NotSearched", "\(name) did not search: \((relay.detail ?? "").shown)")
      case "notOffered": session.ending.warn("local.NotSearched", "\(name) does not offer search")
      default: break
      }
    }
  }

  func run(_ request: MessagesSearchRequest) async throws {
    var request = request
    var found: [SearchHit] = []
    var hasMore = true
    while hasMore, found.count < limit {
      request.offset = found.isEmpty ? nil : found.count
      request.limit = min(limit - found.count, MessageList.pageMax)
      let next = try await session.raw.messages.search(request)
      found += next.hits
      hasMore = next.hasMore && !next.hits.isEmpty
    }
    let lines = try found.flatMap { view.lines(try ShownMessage($0.message), excerpt: $0.excerpt) }
    try session.show(found) {
      guard !found.isEmpty else { return "No message contains these words." }
      return (lines + (hasMore ? ["There are more messages: --limit shows up to 1000."] : [])).joined(separator: "\n")
    }
  }
}
