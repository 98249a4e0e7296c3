internal import Nostr

extension Group {
  /// The reason why the group refuses an event, as the text of the OK.
  /// - Parameters:
  ///   - event: a verified event, not among the group's events yet.
  ///   - isRelay: whether the relay itself is the author, which may do everything.
  /// - Returns: `nil` if the event may be applied.
  func refusal(of event: NostrEvent, isRelay: Bool) -> String? {
    if erased.contains(event.id) { return "blocked: this was deleted" }
    let action = GroupAction(rawValue: event.kind)
    switch action {
    case nil:
      if flags.contains(.restricted), !isMember(event.publicKey) { return "blocked: unknown member" }
    case .joinRequest:
      if isMember(event.publicKey) { return "duplicate: already a member" }
      if flags.contains(.closed), event.tag("code").map(codes.contains) != true {
        return "restricted: group is closed, an invite code is needed"
      }
    case .leaveRequest:
      if !isMember(event.publicKey) { return "blocked: unknown member" }
    case .putUser, .removeUser, .editMetadata, .deleteEvent, .createGroup, .deleteGroup, .createInvite, .updatePins:
      if !isRelay, !isAdmin(event.publicKey) { return "restricted: insufficient permissions" }
    }
    return action.flatMap { flaw(of: event, as: $0) } ?? Self.unknownPrevious(event, timeline)
  }

  /// The error in the arguments of an action.
  private func flaw(of event: NostrEvent, as action: GroupAction) -> String? {
    switch action {
    case .putUser, .removeUser:
      let keys = event.values("p")
      let isGood = !keys.isEmpty && keys.allSatisfy(Self.isPublicKey)
      return isGood ? nil : "invalid: the action needs p tags with public keys"
    case .deleteEvent:
      let targets = event.values("e").filter { kinds[$0] != nil && !erased.contains($0) }
      if targets.isEmpty { return "blocked: no such event in this group" }
      return erasable(event).isDisjoint(with: targets) ? "blocked: the group's history stays" : nil
    case .createInvite:
      return event.values("code").isEmpty ? "invalid: the action needs a code tag" : nil
    case .updatePins:
      // Posts that are in the list already may remain, even if they were deleted.
      let known = Set((pins ?? []).map { $0[1] })
      let new = event.values("e").filter { !known.contains($0) }
      return new.allSatisfy { kinds[$0] != nil && !erased.contains($0) } ? nil : "blocked: no such event in this group"
    case .editMetadata, .createGroup, .deleteGroup, .joinRequest, .leaveRequest: return nil
    }
  }

  /// Timeline references must name events that the group has: the first 8 digits of their ids.
  static func unknownPrevious(_ event: NostrEvent, _ timeline: [String]) -> String? {
    let known = Set(timeline.map { String($0.prefix(8)) })
    let references = event.tags.filter { $0.first == "previous" }.flatMap { $0.dropFirst() }
    return references.first { !known.contains($0) }.map { "blocked: previous id '\($0)' wasn't found in this group" }
  }

  private static func isPublicKey(_ text: String) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
