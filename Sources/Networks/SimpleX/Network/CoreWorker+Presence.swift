internal import Channels
internal import Logging
internal import RelayNetwork

// Finds out whether there is a core, whether it is the one with Baton's channels, and which user is active in it.
extension CoreWorker {
  /// The first version of the core that has channels on relays.
  private static let versionMin = 7
  /// How many channels are looked up to see whether this is the core that has them.
  private static let recognisedMax = 10
  private static let lookedThroughMax = 200

  private static let noUser = "the chat core has no user: start it with --user-display-name"
  private static let otherUser =
    "another user of the chat core is active, and nothing is done until the owner of Baton's channels is active again"
  private static let stranger =
    "Baton's channels on SimpleX are not in the chat core: it is another core, or another user of it is active. Nothing is done in it"

  /// Handles a connection to a core. Whether it is the right core is checked before anything is done in it.
  func up(_ version: CoreVersion, _ active: CoreUser?) {
    isDecided = true
    connections += 1
    (self.version, arrived, mustRecognise, isRecognitionHeld) = (nil, nil, false, false)
    serverGroups = nil
    guard version.isAtLeast(Self.versionMin) else {
      return leave(.tooOld, "the chat core has version \(version), channels need \(Self.versionMin).0 or newer")
    }
    (self.version, upSince) = (version, now())
    guard let active else { return leave(.noUser, Self.noUser) }
    (user, arrived, mustRecognise) = (nil, active, true)
  }

  func down(_ reason: String) {
    isDecided = true
    connections += 1
    (version, arrived, mustRecognise) = (nil, nil, false)
    leave(.absent, "the chat core cannot be reached: \(reason)")
  }

  /// Stops the work, because there is no core that can be used.
  private func leave(_ kind: NetworkTrouble.Kind, _ words: String) {
    if user != nil || absentSince.milliseconds == 0 { absentSince = now() }
    user = nil
    absence = NetworkTrouble(kind, words)
    tell(.down(absence))
    stopReading()
    if version != nil { around.nudge(limits.recogniseAgain) }
    if !pending.isEmpty { around.nudge(limits.patience) }
  }

  private func tell(_ state: NetworkState) {
    guard state != told else { return }
    told = state
    report(.state(.simplex, state))
  }

  /// Finds out whether the active user owns Baton's channels. In another core, or as another user of this one, none of them would be
  /// found, and creating them again would duplicate them all.
  func recognise() async {
    let connection = connections
    let active: CoreUser
    if let arrived {
      active = arrived
      self.arrived = nil
    } else {
      switch await put(.activeUser) {
      case .success(.activeUser(let user)): active = user
      case .failure(.refused(let error)) where error.kind == .noUser && connection == connections:
        return leave(.noUser, Self.noUser)
      default: return holdRecognition()
      }
    }
    let isOther = home.map { $0 != active.id } ?? false
    // A core is not used unless it is known to have the channels.
    guard let served = try? await around.served(nil, Self.lookedThroughMax) else { return holdRecognition() }
    var places = served.filter(\.isEstablished).compactMap { channel in
      channel.content.group.map { (place: Place(name: channel.content.networkID, group: $0), isOwned: channel.isOwned) }
    }
    // A channel that was just created is not served yet, but belongs to the user that created it.
    if isOther { places += bound.values.map { ($0.place, true) } }
    var missing = 0
    for (place, isOwned) in places.prefix(Self.recognisedMax) {
      // The core does not list the relays of other people's channels.
      switch await put(isOwned ? .relays(place.group) : .info(place.group)) {
      case .success(.relays(let found, _)) where found.isCalled(place.name),
        .success(.group(let found)) where found.isCalled(place.name):
        // Results from an earlier connection do not apply to this one.
        if connection == connections { welcome(active) }
        return
      case .success(.relays), .success(.group): missing += 1
      case .failure(.refused(let error)) where error.isGroupMissing: missing += 1
      default: return holdRecognition()
      }
    }
    guard connection == connections else { return }
    guard missing == 0, !isOther || doubtful.isEmpty else {
      return leave(.wrongUser, isOther ? Self.otherUser : Self.stranger)
    }
    welcome(active)
  }

  /// Handles a check that is not possible now: nothing is done until it succeeds.
  private func holdRecognition() {
    guard !mustRecognise else { return }
    (mustRecognise, isRecognitionHeld) = (version != nil, true)
    around.nudge(limits.recogniseAgain)
  }

  private func welcome(_ active: CoreUser) {
    (user, home) = (active.id, active.id)
    mustReadPresets = true
    resynchronised = (nil, true)
    for channel in pending.keys.sorted() { due.add(channel) }
    lookAtPosts(isConnected: true)
    missedMessages()
    startTests()
    let name = version.map { "the chat core \($0)" } ?? "the chat core"
    tell(.works(detail: CoreText.bounded("\(name) is there, its user is '\(active.displayName)'")))
  }

  /// Asks the core. Without a connection, the result is `notSent`.
  ///
  /// The core searches the channels of the active user. A channel that it does not find may belong to another user, so before such an
  /// answer is used, the core is asked who is active.
  func ask(_ command: CoreCommand) async -> Result<CoreReply, CoreFailure> {
    guard let asker = user else { return .failure(.notSent(.noConnection(absence.trouble.detail))) }
    let result = await put(command)
    guard case .failure(.refused(let error)) = result, error.mayMeanAnotherUser else { return result }
    if user == asker {
      switch await put(.activeUser) {
      case .success(.activeUser(let active)) where active.id == asker:
        // The active user may have been another one a moment ago. A refused command was not carried out.
        if user == asker { return await put(command) }
      case .success(.activeUser): leave(.wrongUser, Self.otherUser)
      case .failure(.refused(let error)) where error.kind == .noUser: leave(.noUser, Self.noUser)
      default: break
      }
    }
    return .failure(.notSent(.noConnection("it is not certain who is active in the core")))
  }

  private func put(_ command: CoreCommand) async -> Result<CoreReply, CoreFailure> {
    let result = await around.ask(command)
    if case .failure(let failure) = result { logger.debug("\(command): \(failure)") }
    takeArrived()
    return result
  }

  /// Processes the inputs that have arrived: a request that was cancelled while the core was asked must not be carried out.
  func takeArrived() {
    for input in around.arrived() { take(input) }
    sendNews()
  }
}

extension CoreError {
  /// Whether the error may mean that an unexpected user is active, or no user: the core then reports a missing group, too.
  var mayMeanAnotherUser: Bool { isGroupMissing || kind == .noUser || tag == "differentActiveUser" }
}
