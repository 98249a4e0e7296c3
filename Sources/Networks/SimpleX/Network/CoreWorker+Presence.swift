internal import Channels
internal import Logging
internal import RelayNetwork

// Whether there is a core, whether it is the one with Baton's channels, and who is active in it.
extension CoreWorker {
  /// The first version of the core that has channels on relays.
  private static let versionMin = 7
  /// Channels that are looked at to see whether this is the core that has them.
  private static let recognisedMax = 10
  private static let lookedThroughMax = 200

  private static let noUser = "the chat core has no user: start it with --user-display-name"
  private static let otherUser =
    "another user of the chat core is active than the one who owns Baton's channels; nothing is done until that one is active again"
  private static let stranger =
    "the chat core has none of Baton's channels on SimpleX: it is another core, or another user of it is active; nothing is done in it"

  /// The core is there. Whether it is the right one is seen before anything is done in it.
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

  /// Nothing can be done from now on.
  private func leave(_ kind: NetworkTrouble.Kind, _ words: String) {
    if user != nil || absentSince.milliseconds == 0 { absentSince = now() }
    user = nil
    absence = NetworkTrouble(kind, words)
    tell(.down(absence))
    if version != nil { around.nudge(limits.recogniseAgain) }
    if !pending.isEmpty { around.nudge(limits.patience) }
  }

  private func tell(_ state: NetworkState) {
    guard state != told else { return }
    told = state
    report(.state(.simplex, state))
  }

  /// Sees whether the active user is the one who owns Baton's channels. In another core, or as another user of this one, none of them is
  /// found, and making them anew would double them all.
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
    var places = around.served(nil, Self.lookedThroughMax).filter(\.isEstablished).compactMap { channel in
      channel.content.group.map { Bound(name: channel.content.networkID, group: $0, link: "") }
    }
    // What was made just now serves nobody yet, and belongs to the user whom it was made for all the same.
    if isOther { places += bound.values }
    var missing = 0
    for place in places.prefix(Self.recognisedMax) {
      switch await put(.relays(place.group)) {
      case .success(.relays(let found, _)) where found.isCalled(place.name):
        // What was seen on an earlier connection says nothing of this one.
        if connection == connections { welcome(active) }
        return
      case .success(.relays): missing += 1
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

  /// Not to be seen now: nothing is done before it is.
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
    startTests()
    let name = version.map { "the chat core \($0)" } ?? "the chat core"
    tell(.works(detail: CoreText.bounded("\(name) is there, its user is '\(active.displayName)'")))
  }

  /// Asks the core. Without a connection the answer is that there is none.
  ///
  /// The core looks among the channels of whoever is active. What it does not find may be another user's, so before anybody acts on such
  /// an answer it is seen who is active.
  func ask(_ command: CoreCommand) async -> Result<CoreReply, CoreFailure> {
    guard let asker = user else { return .failure(.notSent(.noConnection(absence.trouble.detail))) }
    let result = await put(command)
    guard case .failure(.refused(let error)) = result, error.mayMeanAnotherUser else { return result }
    if user == asker {
      switch await put(.activeUser) {
      case .success(.activeUser(let active)) where active.id == asker:
        // It may have been another one a moment ago, and what was refused was not done.
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

  /// Takes in what came meanwhile: what somebody took back while the core was asked must not be done after all.
  func takeArrived() { for input in around.arrived() { take(input) } }
}

extension CoreError {
  /// The core says so as well when another user than expected is active, or none.
  var mayMeanAnotherUser: Bool { isGroupMissing || kind == .noUser || tag == "differentActiveUser" }
}
