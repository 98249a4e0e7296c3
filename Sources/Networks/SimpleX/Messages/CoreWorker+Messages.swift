internal import Channels
internal import RelayNetwork

// Reads the messages of channels. Events report messages as they are written. Messages that events may have missed are read in pages, after
// everything else.
extension CoreWorker {
  // MARK: - Input

  func follow(_ channel: FollowedChannel) { readings.follow(channel) }

  func unfollow(_ channel: ChannelID) { readings.unfollow(channel) }

  func taken(_ batch: MessageBatch.ID) {
    outbox.taken(batch)
    sendNews()
  }

  func sync(_ channel: ChannelID) {
    guard let reading = readings[channel] else { return }
    guard reading.place != nil else {
      return tellSynced(channel, .failed(Trouble(.unreachable, "the chat core does not have the channel yet")))
    }
    guard user != nil else { return tellSynced(channel, .failed(absence.trouble)) }
    readings.ask(for: channel)
    readings.oweMembers(of: channel)
  }

  /// Has all channels read again as far as that is needed, because events may be lost.
  func missedMessages() { readings.missed() }

  /// Handles the loss of the connection. Readings that are under way begin again with the next one.
  func stopReading() {
    for channel in readings.all {
      readings.stop(channel)
      guard readings[channel]?.isAsked == true else { continue }
      readings.answered(channel)
      tellSynced(channel, .failed(absence.trouble))
    }
  }

  /// Looks again at the channels that the core could not give.
  func lookAtReadings() { readings.lookAgain(at: now(), waitMax: limits.readAgain) }

  // MARK: - News

  /// Reports the news that may leave, and the channels that were read completely.
  func sendNews() {
    while let batch = outbox.next() { report(.read(batch)) }
    for (channel, mark) in readings.untold.sorted(by: { $0.key < $1.key }) where outbox.isTaken(mark) {
      readings.told(channel)
      tellSynced(channel, .complete)
    }
  }

  /// Reports the same of all relays of a channel, because the core does not tell them apart. Other people's channels have no relays here.
  private func tellSynced(_ channel: ChannelID, _ sync: MessageSync) {
    guard let followed = readings[channel]?.channel else { return }
    for relay in followed.places(asMember: true).sorted() {
      report(.synced(channel: channel, relay: relay, sync))
    }
  }

  /// - Returns: whether there was room for all of it. If not, nothing is reported.
  func tell(_ news: [(isLive: Bool, what: MessageNews.What)], of channel: ChannelID) -> Bool {
    outbox.add(news.map { MessageNews(channel: channel, isLive: $0.isLive, what: $0.what) })
  }

  // MARK: - Events

  /// Reports the news of an event about messages. While a page is on its way events wait, because they may be about its contents.
  func hear(_ event: CoreEvent) {
    guard !readings.isEmpty else { return }
    guard let waiting = heldEvents else { return tellNews(of: event) }
    if waiting.count < InputQueue.eventsMax { heldEvents?.append(event) } else { missedMessages() }
  }

  private func tellNews(of event: CoreEvent) {
    switch event {
    case .itemsReceived(let items): for item in items { received(item) }
    case .itemUpdated(let item): updated(item)
    case .itemsDeleted(let deletions): for deletion in deletions { deleted(deletion.deleted) }
    case .itemsGone(let group, let items): gone(items, from: group)
    case .reaction(let change): reacted(change)
    case .groupUpdated(_, let group): counted(group)
    case .relayUpdated, .linkUpdated, .memberUpdated, .memberConnected, .memberLeft, .memberRemoved, .userRemoved,
      .membersChanged, .groupDeleted, .itemStatuses, .hostConnected, .hostDisconnected, .error, .refusal, .messageError, .other,
      .unreadable:
      break
    }
  }

  /// The followed channel of a message, and how to read it.
  private func reader(of group: CoreGroup?) -> (channel: ChannelID, news: ItemNews)? {
    guard let group, let channel = readings.channel(of: group) else { return nil }
    return (channel, ItemNews(group: group, now: now()))
  }

  /// Reports the number of people in a channel, if it has changed.
  private func counted(_ group: CoreGroup?) {
    guard let group, let count = group.publicMemberCount, let channel = readings.channel(of: group),
      readings[channel]?.memberCount != count, tell([(true, .memberCount(Int(clamping: count)))], of: channel)
    else { return }
    readings.counted(count, in: channel)
  }

  private func received(_ item: CoreChatItem) {
    counted(item.group)
    guard let (channel, news) = reader(of: item.group), readings[channel]?.seen.name(of: item.item.id) == nil else { return }
    noteSender(of: item.item, in: news.group)
    guard tell(news.all(item.item).map { (true, $0) }, of: channel) else { return readings.owe(.missed, in: channel) }
    readings.note(item.item, in: channel)
  }

  private func updated(_ item: CoreChatItem) {
    guard let (channel, news) = reader(of: item.group) else { return }
    let changes = news.changes(item.item, isUpdate: true).map { (isLive: true, what: $0) }
    // Relays pass on edits of messages that the core never got. Such a message may be of any age.
    let isNew = readings[channel]?.seen.isNew(item.item.id) ?? false
    let message = isNew ? news.all(item.item).filter(\.isMessage).map { (isLive: false, what: $0) } : []
    guard tell(message + changes, of: channel) else { return readings.owe(.everything, in: channel) }
    readings.note(item.item, in: channel)
  }

  func deleted(_ item: CoreChatItem) {
    guard let (channel, _) = reader(of: item.group) else { return }
    delete(ItemPlace(item.item).name, in: channel)
  }

  /// Reports that messages are gone. The core gives only their numbers.
  private func gone(_ items: [CoreItem.ID], from group: CoreGroup) {
    guard let (channel, _) = reader(of: group) else { return }
    for item in items {
      // The core still has most of them, marked.
      if let name = readings[channel]?.seen.name(of: item) {
        delete(name, in: channel)
      } else {
        readings.owe(.everything, in: channel)
      }
    }
  }

  func delete(_ name: String, in channel: ChannelID) {
    guard tell([(true, .deleted(networkID: name, author: nil))], of: channel) else {
      return readings.owe(.everything, in: channel)
    }
  }

  /// Reports a reaction. A reaction for which there is no room is lost: the core counts reactions, and does not name their authors.
  private func reacted(_ change: CoreReactionChange) {
    guard let (channel, news) = reader(of: change.group), let what = news.reaction(change) else { return }
    _ = tell([(true, what)], of: channel)
  }

  /// Notes that the members of a channel may have changed. Many changes may come together, so the channel is not read immediately.
  func membersChanged(in group: CoreGroup) {
    guard let channel = readings.channel(of: group) else { return }
    readings.oweMembers(of: channel, at: now() + limits.membersAgain)
    around.nudge(limits.membersAgain)
  }

  // MARK: - Pages

  /// Reads the next page, if there is room for the news that may be in it.
  /// - Returns: whether there was anything to do.
  func readMessages() async -> Bool {
    guard outbox.room >= ChannelReading.pageNewsMax, let (channel, place, run) = readings.next() else { return false }
    heldEvents = []
    let result = await ask(.page(place.group, run.place, count: ChannelReading.pageCount))
    if readings[channel]?.run?.number == run.number, readings[channel]?.place == place { take(result, of: channel, at: place) }
    let events = heldEvents ?? []
    heldEvents = nil
    for event in events { tellNews(of: event) }
    sendNews()
    return true
  }

  private func take(_ result: Result<CoreReply, CoreFailure>, of channel: ChannelID, at place: Place) {
    switch result {
    case .success(.page(let page)):
      guard let group = page.group, group.isCalled(place.name) else { return fail(channel, Self.channelMissing) }
      for item in page.items { noteSender(of: item, in: group) }
      let (news, progress) = readings.take(page, of: group, in: channel, at: now())
      // There is room: nothing was added since the page was asked for.
      _ = tell(news.map { (false, $0) }, of: channel)
      counted(group)
      switch progress {
      case .more: break
      case .over where !group.membership.isThere && readings[channel]?.channel.isOwned == false:
        // The messages from before that were read.
        fail(channel, Self.notThere)
      case .over: readings.tell(channel, after: outbox.mark)
      case .stuck: fail(channel, Trouble(.protocol, "the chat core's messages of the channel are unreadable"))
      }
    case .success(let reply): fail(channel, Trouble(.protocol, Self.unexpected(reply).description))
    case .failure(let failure):
      switch failure {
      case .refused(let error): fail(channel, error.isGroupMissing ? Self.channelMissing : error.trouble)
      case .unreadable: fail(channel, Trouble(.protocol, failure.description))
      case .notSent, .unknown: again(channel, after: limits.lookAgain)
      }
    }
  }

  private static let notThere = Trouble(.left, "the chat core's user does not belong to the channel any more")
  private static let channelMissing = Trouble(.missing, "the chat core does not have the channel any more")

  /// Reports that a channel could not be read, and tries again after a while.
  private func fail(_ channel: ChannelID, _ trouble: Trouble) {
    again(channel, after: limits.readAgain)
    readings.answered(channel)
    tellSynced(channel, .failed(trouble))
  }

  private func again(_ channel: ChannelID, after wait: Duration) {
    readings.stop(channel)
    readings.wait(channel, until: now() + wait)
    around.nudge(wait)
  }
}

extension MessageNews.What {
  fileprivate var isMessage: Bool { if case .message = self { true } else { false } }
}
