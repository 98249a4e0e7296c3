public import Channels
internal import RelayNetwork

// If daemons share one store, each acts for some of its channels.
extension Coordinator {
  /// Begins to act for the channels in these slots, because no other daemon does. Their work is resumed soon.
  public func gain(_ slots: SlotSet) {
    inbox.put(.gained(slots))
    postInbox.put(.gained(slots))
    // The networks' reports come after it.
    for network in directory.networks.values { network.gained(slots) }
  }

  /// Stops acting for the channels in these slots. Once it returns, another daemon may act for them: earlier decisions about them are
  /// durable, and nothing more is sent to their relays.
  /// - Throws: `storageUnavailable` while the durable state is unknown, and `busy` when the coordinator has stopped. It stops
  ///   acting for the channels anyway. After `storageUnavailable`, call it again: they are free only once it returns.
  public func lose(_ slots: SlotSet) async throws(BatonError) {
    var refusal: BatonError?
    do { try await ask(limit: .max) { .lost(slots, $0) } } catch { refusal = error }
    if posts != nil {
      do { try await askPosts(limit: .max) { .lost(slots, $0) } } catch { refusal = refusal ?? error }
    }
    for network in directory.networks.values { await network.abandon(slots) }
    if let refusal { throw refusal }
  }

  /// Stops networks from publishing, because another daemon may soon act for the channels. `mayAct` returns false by now. Nothing is lost
  /// or forgotten.
  public func suspend() async { for network in directory.networks.values { await network.abandon(.all) } }

  /// Continues after `suspend`, if no other daemon has acted for the channels. `mayAct` returns true by now.
  public func resume() {
    inbox.put(.resumed)
    postInbox.put(.resumed)
  }
}
