internal import Channels
internal import RelayNetwork

/// One operation in the form in which a session carries it out.
struct SessionOperation: Hashable, Sendable {
  /// The subject of an operation.
  enum Subject: Hashable, Sendable {
    case channel(RelayOperation)
    case post(DeliveryOperation)
  }

  /// Operations with the same order follow each other.
  enum Order: Hashable, Sendable {
    case channel(ChannelID)
    case post(PostID)
  }

  let subject: Subject
  /// The events to publish, one after the other, each after the relay accepted the one before. Readers do not use this.
  let events: [OutgoingEvent]
  /// The public key of the channel's identity.
  let owner: String
  /// The post of a group that it is about, or `nil` in channels, and once it is forgotten. An operation that publishes such a post has no
  /// events before it has its date.
  let group: GroupPost?
  /// The names of that post, even once it is forgotten, or `nil` in channels.
  let names: GroupRemnant?
  /// The pin that it is about, or `nil` for everything else.
  let pin: PinForm?
  /// The membership change that it is about, or `nil` for everything else.
  let membership: MembershipForm?

  init(operation: RelayOperation, events: [OutgoingEvent] = [], owner: String = "") {
    subject = .channel(operation)
    self.events = events
    self.owner = owner
    (group, names, pin, membership) = (nil, nil, nil, nil)
  }

  init(
    delivery: DeliveryOperation, events: [OutgoingEvent] = [], group: GroupPost? = nil, names: GroupRemnant? = nil,
    pin: PinForm? = nil, membership: MembershipForm? = nil
  ) {
    subject = .post(delivery)
    self.events = events
    self.group = group
    self.names = names ?? group.map(GroupRemnant.init)
    self.pin = pin
    self.membership = membership
    owner = ""
  }

  /// The same operation with the event of a new attempt, if it publishes a post of a group.
  /// - Parameter seconds: the date of the event, in Unix seconds.
  func dated(at seconds: Int64) -> SessionOperation {
    guard let delivery, let group else { return self }
    let (post, event) = group.dated(at: seconds)
    return SessionOperation(delivery: delivery, events: [.dated(event)], group: post)
  }

  /// Whether it publishes a post of a group that has no date yet.
  var isUndated: Bool { group != nil && delivery?.task == .publish && events.isEmpty }

  var order: Order {
    switch subject {
    case .channel(let operation): .channel(operation.channel)
    case .post(let operation): .post(operation.post)
    }
  }

  /// The channel that it is about, or to which its post belongs.
  var content: ChannelContent {
    switch subject {
    case .channel(let operation): operation.content
    case .post(let operation): operation.content
    }
  }

  /// The same, by its id.
  var channel: ChannelID {
    switch subject {
    case .channel(let operation): operation.channel
    case .post(let operation): operation.channel
    }
  }

  /// The task for a channel, or `nil` for posts.
  var channelTask: RelayOperation.Task? {
    if case .channel(let operation) = subject { operation.task } else { nil }
  }

  /// The operation, if it is about a post.
  var delivery: DeliveryOperation? {
    if case .post(let operation) = subject { operation } else { nil }
  }

  /// Whether its events are signed when they are sent. Nothing else is under way together with such an operation.
  var isDraft: Bool {
    events.contains {
      switch $0 {
      case .draft, .option, .pins: true
      case .signed, .dated, .extra: false
      }
    }
  }

  var isDeletionOfGroup: Bool { channelTask == .withdraw && content.kind == .group }

  /// The number of events that the relay must accept.
  var neededCount: Int { events.count { !$0.isExtra } }

  /// The report of its outcome.
  /// - Parameter isDoubtful: whether the event was sent before and not answered, so that the relay may have it regardless of its answer
  ///   now.
  func report(_ outcome: RelayOutcome, isDoubtful: Bool = false) -> NetworkReport {
    switch subject {
    case .channel(let operation):
      .outcome(channel: operation.channel, relay: operation.relay, number: operation.number, outcome)
    case .post(let operation):
      operation.report(
        operation.task == .verify
          ? DeliveryOutcome(outcome)
          : DeliveryOutcome(publishing: outcome, isDoubtful: isDoubtful),
        form: form(after: outcome))
    }
  }

  /// The form that a post gets by this outcome, or `nil` if it keeps its form.
  private func form(after outcome: RelayOutcome) -> PostDocument? {
    switch outcome {
    case .handedOver: group?.document
    case .accepted: pin?.taken.document ?? membership?.taken.document
    case .verified, .missing, .withdrawn, .announced, .refused, .misbehaved, .troubled: nil
    }
  }
}

extension RelayOperation {
  func report(_ outcome: RelayOutcome) -> NetworkReport {
    .outcome(channel: channel, relay: relay, number: number, outcome)
  }
}

extension DeliveryOperation {
  func report(_ outcome: DeliveryOutcome, form: PostDocument? = nil) -> NetworkReport {
    .delivery(post: post, relay: relay, number: number, outcome, form: form)
  }
}
