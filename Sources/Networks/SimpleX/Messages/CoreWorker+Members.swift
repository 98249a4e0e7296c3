internal import Channels
internal import RelayNetwork

// Reads the members of channels. The core lists all members together, with their pictures, so large channels are not asked for.
extension CoreWorker {
  /// The result of the search for a member in the core.
  enum MemberFound {
    case member(CoreMember)
    case nobody
    /// The channel has too many members to look for this one.
    case unknown
  }

  /// Finds a member by the name that messages and lists have for it.
  func member(named name: String, in group: CoreGroup) async -> Result<MemberFound, CoreFailure> {
    let key = KnownMembers.Name(group: group.id, member: name)
    if let number = OrderForm.number(name) ?? knownMembers[key] {
      switch await ask(.member(group.id, number)) {
      case .success(.member(_, let member)) where ItemNews.name(of: member.sharedID, member.id) == name:
        return .success(.member(member))
      // The number is someone else's, or no one's by now.
      case .success(.member): knownMembers.forget(key)
      case .success(let reply): return .failure(Self.unexpected(reply))
      case .failure(.refused(let error)) where error.tag == "groupMemberNotFound": knownMembers.forget(key)
      case .failure(let failure): return .failure(failure)
      }
    }
    guard group.memberCount <= limits.membersMax, unlisted[group.id].map({ $0.until <= now() }) ?? true else {
      return .success(.unknown)
    }
    switch await members(of: group.id) {
    case .success(let members):
      return .success(members.first { ItemNews.name(of: $0.sharedID, $0.id) == name }.map(MemberFound.member) ?? .nobody)
    case .failure(let failure): return .failure(failure)
    }
  }

  private func members(of group: CoreGroup.ID) async -> Result<[CoreMember], CoreFailure> {
    switch await ask(.members(group)) {
    case .success(.members(let found, let members)) where found.id == group:
      unlisted[group] = nil
      for member in members where member.role.known != .relay {
        knownMembers.note(member.id, as: KnownMembers.Name(group: group, member: ItemNews.name(of: member.sharedID, member.id)))
      }
      return .success(members)
    case .success(let reply): return .failure(Self.unexpected(reply))
    case .failure(let failure):
      // Former members may be in it, and their number is unknown. A list that is too long for the connection would break it again and
      // again, for all channels.
      if case .unknown = failure {
        let count = min((unlisted[group]?.count ?? 0) + 1, 10)
        let wait = min(limits.readAgain * (1 << (2 * (count - 1))), Self.listAgainMax)
        unlisted[group] = (count, now() + wait)
      }
      return .failure(failure)
    }
  }

  /// How long a channel is not listed, at most, after its list has broken the connection.
  private static let listAgainMax = Duration.seconds(86_400)

  /// Notes the number of the member who wrote a message.
  func noteSender(of item: CoreItem, in group: CoreGroup) {
    guard case .member(let member) = item.author, let sender = item.sender else { return }
    knownMembers.note(member, as: KnownMembers.Name(group: group.id, member: ItemNews.name(of: sender.sharedID, member)))
  }

  /// Reads the members of the next channel whose members may have changed, if there is room to report them.
  /// - Returns: whether there was anything to do.
  func readMembers() async -> Bool {
    guard outbox.room >= 2, let (channel, place) = readings.nextMembers() else { return false }
    switch await ask(.info(place.group)) {
    case .success(.group(let group)) where group.isCalled(place.name):
      guard group.memberCount <= limits.membersMax else { return true }
      if let until = unlisted[place.group]?.until, until > now() {
        readings.oweMembers(of: channel, at: until)
        around.nudge(until - now())
        return true
      }
      switch await members(of: place.group) {
      case .success(let members): tellMembers(members, of: group, in: channel)
      case .failure(let failure): readMembersLater(of: channel, failure)
      }
    // The reading of messages finds out that the channel is gone.
    case .success: break
    case .failure(let failure): readMembersLater(of: channel, failure)
    }
    return true
  }

  private func readMembersLater(of channel: ChannelID, _ failure: CoreFailure) {
    if case .refused(let error) = failure {
      switch error.kind {
      case .temporary, .store: break
      case .deadLink, .wrongServer, .incompatible, .command, .noUser, .notStarted, .notAllowed, .item, .other: return
      }
      guard !error.isGroupMissing else { return }
    }
    readings.oweMembers(of: channel, at: now() + limits.readAgain)
    around.nudge(limits.readAgain)
  }

  private func tellMembers(_ members: [CoreMember], of group: CoreGroup, in channel: ChannelID) {
    let people = members.filter { $0.isThere && $0.role.known != .relay && $0.id != group.membership.id }
    var seen: Set<String> = []
    var entries = [group.membership].map { Self.entry($0, isOwn: true) } + people.map { Self.entry($0, isOwn: false) }
    entries = entries.filter { seen.insert($0.author).inserted }
    let ruling = entries.filter { !$0.roles.isEmpty }
    let count = Int(clamping: group.publicMemberCount ?? Int64(entries.count))
    let all = ReadMembers(list: .members, entries: Array(entries.prefix(ReadMembers.entriesMax)), count: count)
    let roles = ReadMembers(list: .roles, entries: Array(ruling.prefix(ReadMembers.entriesMax)), count: ruling.count)
    guard tell([(false, .members(all)), (false, .members(roles))], of: channel) else {
      return readings.oweMembers(of: channel)
    }
    sendNews()
  }

  /// Readers of channels are observers, and have no role here.
  private static func entry(_ member: CoreMember, isOwn: Bool) -> ReadMembers.Entry {
    let role = member.role.known == .observer ? nil : member.role.text.cut(toBytes: ReadMembers.roleBytesMax)
    return ReadMembers.Entry(
      author: ItemNews.name(of: member.sharedID, member.id), name: member.name, roles: role.map { [$0] } ?? [], isOwn: isOwn,
      isBanned: member.isBlocked)
  }
}
