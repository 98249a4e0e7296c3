public import Channels
internal import RelayNetwork
public import Storage
internal import StrictJSON

/// A post as clients see it.
public struct PostSnapshot: Hashable, Sendable {
  public struct Relay: Hashable, Sendable {
    public let id: RelayID
    public let name: String
    public let record: DeliveryRecord
    /// Whether the channel has left the relay since. Then it does not count.
    public let hasDeparted: Bool
    /// The reason why no progress is possible there: the network as a whole is unusable.
    public let networkTrouble: Trouble?

    public init(id: RelayID, name: String, record: DeliveryRecord, hasDeparted: Bool, networkTrouble: Trouble? = nil) {
      self.id = id
      self.name = name
      self.record = record
      self.hasDeparted = hasDeparted
      self.networkTrouble = networkTrouble
    }
  }
  public let row: PostRow
  public let network: NetworkKind
  /// The name of its channel.
  public let channelName: String
  public let phase: PostPhase
  /// The number of relays that it goes to, and on which readers find it, as in "on 3 of 4 relays".
  public let relayCount: Int
  public let shownCount: Int
  /// The link that readers open. `nil` while readers find the post nowhere, and after its deletion.
  public let link: String?
  /// Notes for the publisher, in words for people.
  public let notes: [String]
  /// The relays of its deliveries, in the order of their ids.
  public let relays: [Relay]

  /// - Parameters:
  ///   - notes: the notes of its network, which count only while it is published and neither deleted nor forgotten.
  ///   - link: makes the link, from the relays where readers find the post.
  public init(
    row: PostRow, network: NetworkKind, channelName: String, relays: [Relay], notes: () -> [String] = { [] },
    link: ([RelayID]) -> String?
  ) {
    self.row = row
    self.network = network
    self.channelName = channelName
    self.relays = relays
    var counts = DeliveryCounts(isDeletionRequested: row.deletedAt != nil)
    for relay in relays where !relay.hasDeparted { counts.add(relay.record.status, shown: relay.record.shown) }
    (relayCount, shownCount) = (counts.total, counts.shown)
    // A post whose channel has left all of its relays is not delivered any longer.
    phase = row.phaseOfSchedule ?? (counts.total == 0 && row.deletedAt == nil ? .skipped : counts.phase)
    let showing = relays.filter { !$0.hasDeparted && $0.record.shown > 0 }.map(\.id)
    let isThere = row.isPublished && row.deletedAt == nil && row.forgottenAt == nil && phase != .skipped && phase != .failed
    self.notes = isThere ? notes() : []
    self.link = row.deletedAt == nil && !showing.isEmpty ? link(showing) : nil
  }

  /// Whether nothing changes without a new event, except by slow repairs: no relay is under way.
  public var hasSettled: Bool {
    !relays.contains { relay in
      guard !relay.hasDeparted else { return false }
      return switch relay.record.status {
      case .pending, .sent, .accepted: true
      // No one waits for attempts without an end.
      case .deleting: row.about?.act != .removal || relay.record.isUnderWay || relay.record.repair == 0
      case .verified, .failed, .skipped, .deleted, .stillServed, .unsupported: false
      }
    }
  }

  /// The state of the post in plain words, such as "Post is on 3 of 4 relays. 1 is on the way."
  public var summary: String {
    guard let new = row.replacedBy?.rawValue else { return ownSummary + (row.forgottenAt == nil ? "" : Self.forgotten) }
    let outlook =
      row.deletedAt == nil
      ? "It is deleted once readers find post \(new), which takes its place." : "Post \(new) takes its place."
    return "\(ownSummary) \(outlook)\(row.forgottenAt == nil ? "" : Self.forgotten)"
  }

  private static let forgotten = " Its text was forgotten here."

  private var ownSummary: String {
    switch row.about?.act {
    case .removal: removalSummary
    case .membership: membershipSummary
    case .answer, .reaction, .report, nil: postSummary
    }
  }

  /// The same for a change of the channel's members.
  private var membershipSummary: String {
    switch phase {
    case .published: return "Change is done."
    case .deleting, .deleted, .stillServed: return "Change was given up, or another took its place."
    case .skipped:
      return relayCount == 0 ? "Change goes nowhere any more: its channel left the relay." : "Change cannot be made there."
    case .failed: return "Change failed, and is tried again slowly."
    case .partial where hasSettled: return "Change is done, but not all relays were told."
    case .draft, .scheduled, .expired, .pending, .partial: return "Change is on its way."
    }
  }

  /// The same for the removal of another person's message.
  private var removalSummary: String {
    let stays = relays.contains { $0.hasDeparted && $0.record.status != .deleted }
    if stays, relayCount == 0 { return "Message is not removed: its channel left the relay." }
    return switch phase {
    case .deleted: "Message is removed."
    case .stillServed: "Message may still be shown at a relay."
    case .skipped, .deleting, .draft, .scheduled, .expired, .pending, .partial, .published, .failed:
      "Message is being removed."
    }
  }

  private var postSummary: String {
    let present = relays.filter { !$0.hasDeparted }
    func count(_ statuses: Set<DeliveryStatus>) -> Int { present.count { statuses.contains($0.record.status) } }
    switch phase {
    case .deleted: return "Post is deleted."
    case .deleting: return "Post is being deleted: not all relays have confirmed it yet."
    case .stillServed:
      return "Post was deleted, but \(count([.stillServed, .unsupported])) of \(relayCount) relays may still show it."
    case .skipped:
      return relayCount == 0 ? "Post goes nowhere any more: its channel left all of its relays." : "No relay takes the post."
    case .draft: return "Draft, which is not published yet."
    case .scheduled:
      let time = row.schedule.map { " at \(RFC3339.text(milliseconds: $0.publishAt.milliseconds))" } ?? ""
      return "Post will be published\(time)."
    case .expired: return "Post was not published: \(row.schedule?.trouble ?? "its time is over")."
    case .pending, .partial, .published, .failed: break
    }
    let (underWay, failed, skipped) = (count([.pending, .sent, .accepted]), count([.failed]), count([.skipped]))
    let rest = [
      underWay > 0 ? " \(underWay) \(underWay == 1 ? "is" : "are") on the way." : nil,
      failed > 0 ? " \(failed) failed and \(failed == 1 ? "is" : "are") tried again slowly." : nil,
      skipped > 0 ? " \(skipped) \(skipped == 1 ? "does" : "do") not take it." : nil,
    ]
    let words = rest.compactMap { $0 }.joined()
    return "Post is on \(shownCount == 0 ? "no relay yet" : "\(shownCount) of \(relayCount) relays").\(words)"
  }
}

extension PostRow {
  /// The phase of a post that is not published.
  fileprivate var phaseOfSchedule: PostPhase? { isDraft ? .draft : isScheduled ? .scheduled : isExpired ? .expired : nil }
}
