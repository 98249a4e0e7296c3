internal import Channels
internal import RelayNetwork

/// The channels whose messages are read.
struct Readings {
  private var readings: [ChannelID: ChannelReading] = [:]
  /// The channels by their names in the core.
  private var channels: [String: ChannelID] = [:]
  /// Channels of which a page has to be read.
  private var due = WorkQueue<ChannelID>()
  /// Channels that are not read again before a time.
  private var waits: [ChannelID: Timestamp] = [:]
  /// Channels that were read, each with the batch that completes its news (`NewsOutbox.mark`).
  private(set) var untold: [ChannelID: Int] = [:]

  /// Channels whose members have to be read, and channels whose members are read later, each with the earliest time.
  private var membersDue = WorkQueue<ChannelID>()
  private var membersLater: [ChannelID: Timestamp] = [:]

  var isEmpty: Bool { readings.isEmpty }
  /// All of them, in order.
  var all: [ChannelID] { readings.keys.sorted() }

  subscript(channel: ChannelID) -> ChannelReading? { readings[channel] }

  /// The channel that is followed under the name of a group.
  func channel(of group: CoreGroup) -> ChannelID? { channels[group.name] }

  mutating func follow(_ channel: FollowedChannel) {
    let place = channel.content.group.map { CoreWorker.Place(name: channel.content.networkID, group: $0) }
    if let old = readings[channel.id], old.place == place {
      guard old.channel != channel else { return }
      readings[channel.id]?.change(channel)
    } else {
      unfollow(channel.id)
      readings[channel.id] = ChannelReading(channel, at: place)
      if let place { channels[place.name] = channel.id }
      oweMembers(of: channel.id)
    }
    look(at: channel.id)
  }

  mutating func unfollow(_ channel: ChannelID) {
    guard let old = readings.removeValue(forKey: channel) else { return }
    if let name = old.place?.name, channels[name] == channel { channels[name] = nil }
    (waits[channel], untold[channel], membersLater[channel]) = (nil, nil, nil)
  }

  mutating func owe(_ need: ChannelReading.Need, in channel: ChannelID) {
    readings[channel]?.owe(need)
    look(at: channel)
  }

  /// Notes that anything may have been missed, in every channel.
  mutating func missed() {
    waits = [:]
    for channel in all {
      owe(.missed, in: channel)
      oweMembers(of: channel)
    }
  }

  /// Has the members of a channel read, or read again.
  mutating func oweMembers(of channel: ChannelID) {
    membersLater[channel] = nil
    if readings[channel]?.place != nil { membersDue.add(channel) }
  }

  /// Has the members of a channel read after a time, unless an earlier time is set.
  mutating func oweMembers(of channel: ChannelID, at time: Timestamp) {
    if readings[channel]?.place != nil { membersLater[channel] = min(membersLater[channel] ?? time, time) }
  }

  /// The next channel whose members have to be read.
  mutating func nextMembers() -> (channel: ChannelID, place: CoreWorker.Place)? {
    while let channel = membersDue.next() {
      if let place = readings[channel]?.place { return (channel, place) }
    }
    return nil
  }

  mutating func ask(for channel: ChannelID) {
    readings[channel]?.ask()
    waits[channel] = nil
    look(at: channel)
  }

  mutating func answered(_ channel: ChannelID) { readings[channel]?.answered() }

  mutating func counted(_ people: Int64, in channel: ChannelID) { readings[channel]?.memberCount = people }

  mutating func note(_ item: CoreItem, in channel: ChannelID) { readings[channel]?.note(item) }

  mutating func stop(_ channel: ChannelID) { readings[channel]?.stop() }

  mutating func wait(_ channel: ChannelID, until time: Timestamp) { waits[channel] = time }

  /// Looks again at the channels that have waited long enough.
  mutating func lookAgain(at now: Timestamp, waitMax: Duration) {
    // Timers and the clock may differ a little, and a clock that was set back does not make a wait longer.
    for (channel, time) in waits where time - now <= .milliseconds(20) || time - now > waitMax {
      waits[channel] = nil
      look(at: channel)
    }
    for (channel, time) in membersLater where time - now <= .milliseconds(20) { oweMembers(of: channel) }
  }

  private mutating func look(at channel: ChannelID) {
    if readings[channel]?.place != nil, waits[channel] == nil { due.add(channel) }
  }

  /// The next page to read: its channel and the run to which it belongs.
  mutating func next() -> (channel: ChannelID, place: CoreWorker.Place, run: ChannelReading.Run)? {
    while let channel = due.next() {
      if waits[channel] == nil, let place = readings[channel]?.place, let run = readings[channel]?.next() {
        return (channel, place, run)
      }
    }
    return nil
  }

  /// Processes a page of the run that is under way.
  mutating func take(
    _ page: CoreItemPage, of group: CoreGroup, in channel: ChannelID, at now: Timestamp
  ) -> (news: [MessageNews.What], progress: ChannelReading.Progress) {
    guard let (news, progress) = readings[channel]?.take(page, of: group, at: now) else { return ([], .over) }
    switch progress {
    // There may be another run.
    case .more, .over: look(at: channel)
    case .stuck: break
    }
    return (news, progress)
  }

  /// Notes that a channel was read, which is reported once everything up to the batch `mark` is taken.
  mutating func tell(_ channel: ChannelID, after mark: Int) { untold[channel] = mark }

  mutating func told(_ channel: ChannelID) { untold[channel] = nil }
}
