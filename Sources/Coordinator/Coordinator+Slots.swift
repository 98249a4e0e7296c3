public import Channels
internal import RelayNetwork

// Where several daemons share one store, each acts for some of its channels.
extension Coordinator {
  /// Acts for the channels in these slots from now on, because no one else does any more. Their work is taken up soon.
  public func gain(_ slots: SlotSet) {
    inbox.put(.gained(slots))
    postInbox.put(.gained(slots))
    // What they report comes after it.
    for network in directory.networks.values { network.gained(slots) }
  }

  /// Acts for the channels in these slots no more. Once it returns, another daemon may: what was decided for them is durable, and nothing
  /// more is sent to their relays.
  /// - Throws: `storageUnavailable` as long as it is not known what is durable, and `busy` when the coordinator has stopped. The channels
  ///   are left alone all the same; after `storageUnavailable`, call it again: they are free only once it returns.
  public func lose(_ slots: SlotSet) async throws(BatonError) {
    var refusal: BatonError?
    do { try await ask(limit: .max) { .lost(slots, $0) } } catch { refusal = error }
    if posts != nil {
      do { try await askPosts(limit: .max) { .lost(slots, $0) } } catch { refusal = refusal ?? error }
    }
    for network in directory.networks.values { await network.abandon(slots) }
    if let refusal { throw refusal }
  }

  /// Has networks publish nothing more, because another daemon may soon act for the channels; `mayAct` says no by now. Nothing is lost yet,
  /// and nothing is forgotten.
  public func suspend() async { for network in directory.networks.values { await network.abandon(.all) } }

  /// Goes on after `suspend`: no one else has acted for the channels. `mayAct` says yes by now.
  public func resume() {
    inbox.put(.resumed)
    postInbox.put(.resumed)
  }
}
