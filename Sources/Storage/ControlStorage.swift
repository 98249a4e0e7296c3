public import Channels
public import Filters
public import StrictJSON

/// The control plane's questions to storage. Nothing here changes stored data. Only `makeCopy` writes, to its own file.
///
/// No method blocks the thread of its caller. Each of them sees the durable data of one moment, which may be newer than the data that
/// subscribers have received. All throw `StoreError`: `corrupt` when the object is damaged, which clients see as such. After any other
/// error the question may work later. A damaged channel is left out of lists and named there, so that it does not end them.
/// `CancellationError` comes when the task was cancelled before its turn.
public protocol ControlStorage: Sendable {
  // MARK: - Channels

  /// Channels in `order`. All channels that `filter` wants are among them. The caller checks each one, because some fields exist only in
  /// the daemon.
  /// - Parameters:
  ///   - order: by fields for which `ChannelField.canSort` holds.
  ///   - withDeleted: whether deleted ones are included.
  ///   - after: the sort values of the last channel of the previous part.
  ///   - limit: how many channels are looked at, at most.
  func channels(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, limit: Int
  ) async throws -> ChannelPart
  /// The channels named `name`, deleted ones left out, by id.
  /// - Parameter limit: how many at most.
  func channels(named name: String, limit: Int) async throws -> [ChannelID]
  /// A channel with its relays, or `nil` if it does not exist.
  func channel(_ id: ChannelID) async throws -> StoredChannel?
  /// These channels with their relays. A damaged channel does not fail the others.
  func channels(_ ids: Set<ChannelID>) async throws -> StoredChannels
  /// The newest posts of these channels that were not deleted. Channels without one are left out, and so are channels whose posts cannot be
  /// found because of damage.
  func lastPosts(of channels: Set<ChannelID>) async throws -> [ChannelID: LastPost]
  /// The latest lines of a channel's history, oldest first. Empty for a channel that does not exist.
  func transitions(of channel: ChannelID, limit: Int) async throws -> [TransitionRow]
  /// Lines of the history of all channels, the latest first. It looks at a limited number of lines, so it may find none although there are
  /// earlier ones.
  /// - Parameters:
  ///   - revision: only lines before this one.
  ///   - limit: how many at most, at least 1.
  func transitions(matching seek: TransitionSeek, before revision: Int64, limit: Int) async throws -> TransitionPart

  // MARK: - Changes

  /// Changes after `revision`, oldest first.
  /// - Parameter limit: how many at most.
  /// - Throws: `corrupt` when one of them differs from the change that was written.
  func changes(after revision: Int64, limit: Int) async throws -> [ChangeRow]
  /// The newest change of each operator, server, relay and channel, and the newest transition of each relay of a channel.
  /// - Parameters:
  ///   - end: the last revision of interest.
  ///   - limit: how many at most.
  /// - Throws: `corrupt` when one of them differs from the change that was written.
  func newestChanges(after revision: Int64, through end: Int64, limit: Int) async throws -> [ChangeRow]
  /// The oldest revision after which all changes are still known.
  func oldestRevision() async throws -> Int64
  /// The highest ids and the newest revision that were given out.
  func counters() async throws -> StoreCounters

  // MARK: - Figures

  /// The latest connections to a relay or server, oldest first, a hundred at most.
  func roundTrips(of peer: Probed) async throws -> [MeasuredConnection]
  /// Lines of the history of the health of relays and servers, the latest first.
  /// - Parameters:
  ///   - peers: only lines about these, or `nil` for all.
  ///   - revision: only lines before this one.
  ///   - limit: how many at most, at least 1.
  func health(of peers: Set<Probed>?, before revision: Int64, limit: Int) async throws -> HealthPart
  /// How many channels have `relay` as a member that was not removed.
  func channelCount(of relay: RelayID) async throws -> Int
  /// How many channels have each of `relays` as a member that was not removed. Relays that no channel has are left out.
  func channelCounts(of relays: [RelayID]) async throws -> [RelayID: Int]
  /// How many channels each of `identities` owns, without deleted channels that have told all relays.
  func channelCounts(of identities: [IdentityID]) async throws -> [IdentityID: Int]
  /// How many channels there are, deleted ones left out, how many channel relays are in each status, and how many channels are in
  /// quarantine. The time grows with the number of channels.
  func totals() async throws -> (channels: Int, relays: [RelayStatus: Int], quarantined: Int)
  /// How many channels there are by network and phase, and relays of them by status and cause. The time grows with the number of channels.
  func census() async throws -> Census
  /// How channels fared on their way to relays, according to the latest `RelayOutcomes.linesMax` lines of the history.
  func outcomes() async throws -> RelayOutcomes
  /// The connections to all relays that are remembered, in milliseconds, the oldest first.
  func roundTripsOfRelays() async throws -> [RelayID: [Int64]]
  /// Where channels lack relays, by relay. Deleted channels are left out.
  func losses() async throws -> [ChannelLoss]
  /// How many channels work on no relay at all, with nothing under way.
  func failedChannelCount() async throws -> Int

  // MARK: - Soundness

  /// The damage found since the start, described for people. It is kept in memory, so nothing is read and nothing waits.
  var damageFound: [String] { get }
  /// Looks for damage everywhere, which may take minutes.
  /// - Returns: how many channels were looked at, and the damage, described for people in a bounded number of lines.
  func check() async throws -> (channels: Int, problems: [String])
  /// Makes a consistent and sound copy of all stored data during other reads and writes. It may take minutes.
  /// - Returns: the path of a file, which the caller removes. A forgotten file is removed at the next start.
  /// - Throws: `corrupt` when the stored data is damaged. No copy is left then.
  func makeCopy() async throws -> String
}
