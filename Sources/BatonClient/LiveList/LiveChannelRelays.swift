public import ControlAPI
internal import StrictJSON

/// A live list of the relays of one channel, including removed ones, in the order in which they joined.
public actor LiveChannelRelays {
  public enum Event: Sendable {
    case state(LiveList<Channel>.State)
    /// Steps from the previous list. Apply them in order.
    case changes([ListChange<ChannelRelay>])
    /// All current relays. Replaces the steps if too many changes were unread.
    case replaced([ChannelRelay])
  }

  /// All events, in order, from the beginning. There may be only one reader.
  public nonisolated let events: AsyncStream<Event>
  public private(set) var elements: [ChannelRelay] = []

  private let channel: LiveList<Channel>
  private let report: EventQueue<Event>
  private var state = LiveList<Channel>.State.initial
  private var following: Task<Void, Never>?

  /// - Parameter channelID: identifier of the channel.
  public init(channelID: Int64, socket: String = BatonClient.defaultSocket) throws {
    // The channel may be in any phase: the relays of a deleted channel can still be seen.
    channel = try LiveList(
      socket: socket, filter: ["id": .integer(channelID), "phase": ["$exists": true]], pageSize: 1)
    report = EventQueue(waitingMax: 1000)
    events = report.stream
  }

  deinit {
    following?.cancel()
    report.finish()
    Task { [channel] in await channel.stop() }
  }

  /// Reads the relays and follows their changes.
  public func start() async {
    guard following == nil else { return }
    following = Task { [weak self, events = channel.events] in
      for await event in events { await self?.take(event) }
    }
    await channel.start()
  }

  public func stop() async {
    following?.cancel()
    following = nil
    await channel.stop()
    report.finish()
  }

  private func take(_ event: LiveList<Channel>.Event) {
    switch event {
    case .state(let state):
      self.state = state
      tell(.state(state))
    case .changes(let changes):
      for change in changes {
        switch change {
        case .insert(let channel, _), .update(let channel, _), .move(let channel, _, _): follow(channel.relays)
        case .remove: follow([])
        }
      }
    case .replaced(let channels): follow(channels.first?.relays ?? [])
    }
  }

  private func tell(_ event: Event) { report.yield(event, summary: [.replaced(elements), .state(state)]) }

  /// Updates the list. Relays join at the end and never leave the list of a channel.
  private func follow(_ relays: [ChannelRelay]) {
    var changes: [ListChange<ChannelRelay>] = []
    for index in elements.indices.reversed() where index >= relays.count { changes.append(.remove(elements[index], at: index)) }
    for (index, relay) in relays.enumerated() {
      if index >= elements.count {
        changes.append(.insert(relay, at: index))
      } else if elements[index] != relay {
        changes.append(.update(relay, at: index))
      }
    }
    elements = relays
    if !changes.isEmpty { tell(.changes(changes)) }
  }
}
