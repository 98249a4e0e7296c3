internal import Channels
internal import RelayNetwork

// Reports changes of relays that no operation asked for. The core has the states of the relays, and only the store has the relays of a
// channel. If either cannot be read, nothing is reported, and the channel is looked at again after a while, because the event that caused
// the look does not come again.
extension CoreWorker {
  /// Looks at a channel that has news. The store is asked first, because without it a look at the core is useless.
  func lookForNews(_ channel: ChannelID, at suspect: Place) async {
    let place = bound[channel]?.place ?? suspect
    let found: KnownChannel?
    do { found = try await around.known(place.name) } catch { return keepNews(of: channel, at: place) }
    // Other people's channels are not on Baton's relays, and the core does not list the relays that they are on.
    guard let known = found, known.id == channel, known.isOwned else { return }
    switch await listed(place.group) {
    case .success(let listing): tellNews(of: known, listing.group.isCalled(place.name) ? listing : nil)
    case .failure(.refused(let error)) where error.isGroupMissing: tellNews(of: known, nil)
    case .failure: keepNews(of: channel, at: place)
    }
  }

  /// Reports the news of a channel that was just looked at.
  /// - Parameter listing: the relays in the core, or `nil` if the core does not have the channel.
  /// - Returns: whether the store could be read. If not, the channel is looked at again after a while.
  @discardableResult
  func tellNews(of channel: ChannelID, at place: Place, _ listing: GroupListing?) async -> Bool {
    do {
      if let known = try await around.known(place.name), known.id == channel { tellNews(of: known, listing) }
      return true
    } catch {
      keepNews(of: channel, at: place)
      return false
    }
  }

  /// Reports relays that no longer serve a channel, and relays that accepted it after they had been given up.
  private func tellNews(of known: KnownChannel, _ listing: GroupListing?) {
    let channel = known.id
    let gone = Trouble(.missing, "the core does not have the channel any more")
    for (relay, address) in known.relays.sorted(by: { $0.key < $1.key }) where pending[channel]?[relay] == nil {
      guard let loss = listing.map({ $0.standing(of: address).loss }) ?? gone else { continue }
      report(.lost(channel: channel, relay: relay, loss))
    }
    guard let listing else { return }
    for (relay, address) in known.lapsed.sorted(by: { $0.key < $1.key }) where pending[channel]?[relay] == nil {
      switch listing.standing(of: address) {
      // The relay accepted the channel late. No operation asked for this, so the number is 0: operations are numbered from 1.
      case .accepted(_, let link, _), .active(_, let link):
        report(.outcome(channel: channel, relay: relay, number: 0, .accepted(link: link)))
      case .absent, .stuck, .invited, .lost: break
      }
    }
  }
}
