public import Channels
public import RelayNetwork
internal import Storage

/// The forecast of a post's actions on one relay.
public struct PostOutlook: Hashable, Sendable {
  public let relay: RelayID
  public let forecast: PostForecast
}

extension Coordinator {
  /// The forecast on each relay of a post if it is edited or deleted now, in the order of its relays.
  public func actions(on post: PostSnapshot) -> [PostOutlook] {
    let relays = directory.relays
    let network = directory.networks[post.network]
    return post.relays.map { relay in
      let place = PostPlace(
        document: post.row.document, publishedAt: post.row.createdAt, capabilities: relays[relay.id]?.capabilities ?? [])
      let isElsewhere = !directory.canReach(post.row.channel, on: post.network)
      let forecast = network?.forecast(of: place) ?? (isElsewhere ? Self.elsewhere : Self.unserved)
      return PostOutlook(relay: relay.id, forecast: forecast.known(relay, of: post))
    }
  }

  /// Requests go to the daemon whose chat core has the channel, which has more details.
  private static let elsewhere = PostForecast(canEdit: true, canDelete: true)

  private static let unserved = PostForecast(
    canEdit: false, canDelete: false, editNote: "this daemon does not serve the network",
    deleteNote: "this daemon does not serve the network")
}

extension PostForecast {
  /// The same, with Baton's data about the post and its delivery to the relay.
  fileprivate func known(_ relay: PostSnapshot.Relay, of post: PostSnapshot) -> PostForecast {
    if relay.hasDeparted { return .departed }
    var forecast = self
    (forecast.canDelete, forecast.deleteNote) = deletion(relay)
    if let new = post.row.replacedBy?.rawValue {
      forecast.canEdit = false
      forecast.editNote = "the post was edited, and post \(new) takes its place. Edit that one"
    } else if post.row.deletedAt != nil {
      (forecast.canEdit, forecast.editNote) = (false, "the post was deleted")
    } else if post.row.isAside {
      let what =
        switch post.row.about?.act {
        case .report: "a report cannot be edited. Delete it, and report again"
        case .membership: "who belongs to the channel is changed by another change"
        case .answer, .reaction, .removal, nil: "a reaction cannot be edited. Delete it, and react again"
        }
      (forecast.canEdit, forecast.editNote) = (false, what)
    } else if post.row.forgottenAt != nil {
      (forecast.canEdit, forecast.editNote) = (false, "the post was forgotten. Delete it, and publish another")
    }
    return forecast
  }

  private func deletion(_ relay: PostSnapshot.Relay) -> (can: Bool, note: String?) {
    let record = relay.record
    switch record.status {
    case .deleted: return (true, "the relay does not have the post any more")
    case .stillServed, .unsupported: return (false, record.trouble?.detail ?? deleteNote)
    case .pending, .sent, .accepted, .verified, .failed, .skipped, .deleting:
      guard record.left == 0, record.shown == 0 else { return (canDelete, deleteNote) }
      return (true, "the relay does not have the post, and will not get it")
    }
  }

  /// The forecast for a relay that the channel has left.
  private static let departed = PostForecast(
    canEdit: false, canDelete: false, editNote: "the channel has left the relay, which does not get the edit",
    deleteNote: "the channel has left the relay, which keeps its copy and is not asked to delete it")
}
