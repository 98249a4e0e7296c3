public import Channels
public import RelayNetwork
internal import Synchronization

/// What a `FakeNetwork` was asked to read, and what it has read.
public final class FakeFollowing: Sendable {
  private struct State {
    var followed: [ChannelID: FollowedChannel] = [:]
    var follows = 0
    var foreign: [String: ForeignChannel] = [:]
    var joined: Set<String> = []
    var trouble: String?
    var syncs: [ChannelID] = []
    var searches: [RelaySearch] = []
    var batches = 0
    var open: Set<Int> = []
    var taken: [Int] = []
    var violations: [String] = []
    var missing: [MessageInventory: StoredNames] = [:]
  }
  private let state = Mutex(State())

  init() {}

  /// The channels that are followed, as they are.
  public var followed: [ChannelID: FollowedChannel] { state.withLock { $0.followed } }
  /// Channels that others run, by their names on the network.
  public var foreign: [String: ForeignChannel] {
    get { state.withLock { $0.foreign } }
    set { state.withLock { $0.foreign = newValue } }
  }
  /// The channels that were joined and not left, by their names on the network.
  public var joined: Set<String> {
    get { state.withLock { $0.joined } }
    set { state.withLock { $0.joined = newValue } }
  }
  /// Why channels can be neither joined nor left at present; `nil` if they can.
  public var trouble: String? {
    get { state.withLock { $0.trouble } }
    set { state.withLock { $0.trouble = newValue } }
  }
  /// How often a channel was to be followed.
  public var follows: Int { state.withLock { $0.follows } }
  /// The channels whose relays were to be asked for everything, in this order.
  public var syncs: [ChannelID] { state.withLock { $0.syncs } }
  /// The questions that relays were to be asked, in this order.
  public var searches: [RelaySearch] { state.withLock { $0.searches } }
  /// The numbers of the batches that were taken, in this order.
  public var taken: [Int] { state.withLock { $0.taken } }
  /// The answers to questions for what is missing.
  public var missing: [MessageInventory: StoredNames] { state.withLock { $0.missing } }
  /// What must never be asked of a network.
  public var violations: [String] { state.withLock { $0.violations } }

  func follow(_ channel: FollowedChannel) {
    state.withLock { state in
      state.follows += 1
      if state.followed.updateValue(channel, forKey: channel.id) == channel {
        state.violations.append("channel \(channel.id.rawValue) was followed twice")
      }
    }
  }

  func unfollow(_ channel: ChannelID) {
    state.withLock { state in
      if state.followed.removeValue(forKey: channel) == nil {
        state.violations.append("channel \(channel.rawValue) was not followed")
      }
    }
  }

  func took(_ batch: Int) {
    state.withLock { state in
      if state.open.remove(batch) == nil { state.violations.append("batch \(batch) was taken twice") }
      state.taken.append(batch)
    }
  }

  func sync(_ channel: ChannelID) {
    state.withLock { state in
      if state.followed[channel] == nil { state.violations.append("channel \(channel.rawValue) is not followed") }
      state.syncs.append(channel)
    }
  }

  func search(_ search: RelaySearch) {
    state.withLock { state in
      if state.followed[search.channel] == nil { state.violations.append("channel \(search.channel.rawValue) is not followed") }
      state.searches.append(search)
    }
  }

  func lacks(_ missing: StoredNames, in inventory: MessageInventory) {
    state.withLock { state in
      if state.missing.updateValue(missing, forKey: inventory) != nil {
        state.violations.append("question \(inventory.number) was answered twice")
      }
    }
  }

  func nextBatch() -> Int {
    state.withLock { state in
      state.batches += 1
      state.open.insert(state.batches)
      return state.batches
    }
  }
}

extension FakeNetwork {
  public func follow(_ channel: FollowedChannel) { following.follow(channel) }
  public func unfollow(_ channel: ChannelID) { following.unfollow(channel) }
  public func took(_ batch: MessageBatch.ID) { following.took(batch.number) }
  public func sync(_ channel: ChannelID) { following.sync(channel) }
  public func search(_ search: RelaySearch) { following.search(search) }
  public func lacks(_ missing: StoredNames, in inventory: MessageInventory) { following.lacks(missing, in: inventory) }

  /// Reports a batch.
  /// - Returns: its number.
  @discardableResult
  public func read(_ news: [MessageNews], from relay: RelayID? = nil) -> Int {
    let number = following.nextBatch()
    send(.read(MessageBatch(id: MessageBatch.ID(network: kind, number: number), relay: relay, news: news)))
    return number
  }

  /// Reports messages in a channel, which have these names and say the same.
  @discardableResult
  public func read(_ names: [String], in channel: ChannelID, from relay: RelayID? = nil, isLive: Bool = true) -> Int {
    let news = names.map { name in
      MessageNews(
        channel: channel, isLive: isLive,
        what: .message(
          ReadMessage(networkID: name, author: "someone", text: name, createdAt: Timestamp(milliseconds: 1_750_000_000_000))))
    }
    return read(news, from: relay)
  }
}
