import StrictJSON
import TestTools
import Testing

@testable import Nostr
@testable import Sandbox

private let now: Int64 = 1_800_000_000

/// The groups of a sandbox relay as a value: every answer, and its consequences.
struct GroupStoreTests {
  private let owner = SecretKey.random()
  private let guest = SecretKey.random()
  private let relay = SecretKey.random()

  private func event(
    _ kind: Int, by key: SecretKey? = nil, group: String? = "g", tags: [[String]] = [], at time: Int64 = now
  ) throws -> NostrEvent {
    try #require(
      NostrEvent(
        signedBy: key ?? owner, createdAt: time, kind: kind, tags: (group.map { [["h", $0]] } ?? []) + tags, content: ""))
  }

  /// A relay with the group `g` of `owner` after further events.
  private func store(_ events: NostrEvent...) throws -> GroupStore {
    var store = GroupStore(key: relay)
    for event in [try event(9007)] + events { #expect(store.take(event, now: now)?.accepted == true) }
    return store
  }

  private func state(_ kind: Int, in store: GroupStore) throws -> NostrEvent {
    try #require(store.states(of: ["g"]).first { $0.kind == kind })
  }

  private func take(_ store: inout GroupStore, _ event: NostrEvent) throws -> GroupStore.Answer {
    let answer = store.take(event, now: now)
    return try #require(answer)
  }

  /// The relay's answer to `event`, after an exclamation mark if it refuses.
  private func say(_ store: inout GroupStore, _ event: NostrEvent, at time: Int64 = now) -> String? {
    store.take(event, now: time).map { ($0.accepted ? "" : "!") + $0.text }
  }

  @Test func creatorIsAdminAndTheRelaySignsAllStates() throws {
    var store = GroupStore(key: relay)
    let creation = try event(9007)
    let answer = try take(&store, creation)
    #expect(answer.accepted && answer.text.isEmpty && answer.stored == [creation])
    #expect(answer.states.map(\.kind) == [39000, 39001, 39002, 39003])
    for state in answer.states {
      try state.verify()
      #expect(state.publicKey == relay.publicKey && state.tag("d") == "g" && state.createdAt == now)
    }
    #expect(try state(39001, in: store).tags.contains(["p", owner.publicKey, "admin"]))
    #expect(try state(39002, in: store).tags.contains(["p", owner.publicKey]))
    #expect(store.states(of: ["other"]).isEmpty)
    #expect(store.states(of: nil).count == 4)
  }

  @Test func existingGroupIsADuplicateEvenForTheSameEvent() throws {
    var store = GroupStore(key: relay)
    let creation = try event(9007)
    #expect(say(&store, creation) == "")
    #expect(say(&store, creation) == "!duplicate: group already exists")
    #expect(say(&store, try event(9007, by: guest)) == "!duplicate: group already exists")
    #expect(store.groups["g"]?.admins == [owner.publicKey])
  }

  @Test func metadataIsReplacedAsAWhole() throws {
    var store = try store()
    let full = [["name", "News"], ["about", "a"], ["picture", "p"], ["private"], ["restricted"], ["hidden"], ["closed"]]
    let answer = try take(&store, event(9002, tags: full))
    #expect(answer.states.map(\.kind) == [39000])
    #expect(Set(try state(39000, in: store).tags) == Set(full + [["d", "g"]]))
    #expect(say(&store, try event(9002, tags: [["name", "Olds"], ["color", "red"]])) == "")
    #expect(try state(39000, in: store).tags == [["d", "g"], ["name", "Olds"]])
  }

  @Test func statesNeverGetOlder() throws {
    var store = try store(try event(9002, tags: [["name", "a"]], at: now + 20))
    #expect(say(&store, try event(9002, tags: [["name", "b"]], at: now - 20)) == "")
    let metadata = try state(39000, in: store)
    #expect(metadata.tag("name") == "b" && metadata.createdAt == now + 20)
  }

  @Test(arguments: [9000, 9001, 9002, 9005, 9007, 9008, 9009, 9010])
  func moderationMustBeRecent(_ kind: Int) throws {
    var store = try store()
    #expect(
      say(&store, try event(kind, at: now - 61)) == "!invalid: created_at too early, moderation is at most 60 s old")
    #expect(
      say(&store, try event(kind, at: now + 61)) == "!invalid: created_at too late, moderation is at most 60 s ahead")
    #expect(say(&store, try event(kind, at: now - 60))?.contains("created_at") == false)
    #expect(say(&store, try event(kind, at: now + 60))?.contains("created_at") == false)
  }

  @Test(arguments: [9000, 9001, 9002, 9005, 9008, 9009, 9010], [false, true])
  func onlyAdminsModerate(_ kind: Int, isMember: Bool) throws {
    var store = isMember ? try store(try event(9021, by: guest)) : try store()
    let tags = [["p", guest.publicKey, "admin"], ["code", "c"]]
    #expect(say(&store, try event(kind, by: guest, tags: tags)) == "!restricted: insufficient permissions")
  }

  @Test func adminsComeAndGo() throws {
    var store = try store(try event(9000, tags: [["p", guest.publicKey, "admin", "clown"]]))
    #expect(try state(39001, in: store).tags.contains(["p", guest.publicKey, "admin", "clown"]))
    #expect(say(&store, try event(9000, by: guest, tags: [["p", owner.publicKey, "clown"]])) == "")
    #expect(say(&store, try event(9002)) == "!restricted: insufficient permissions")
    #expect(store.groups["g"]?.isMember(owner.publicKey) == true)
    let removal = try take(&store, event(9001, by: guest, tags: [["p", owner.publicKey]]))
    #expect(removal.states.map(\.kind) == [39001, 39002])
    #expect(try state(39002, in: store).tags == [["d", "g"], ["p", guest.publicKey]])
    // The relay itself needs no role.
    #expect(say(&store, try event(9001, by: relay, tags: [["p", guest.publicKey]])) == "")
    #expect(try state(39001, in: store).tags == [["d", "g"]])
  }

  @Test func unknownGroupsAndMissingGroupsAreRefused() throws {
    var store = try store()
    for kind in [9, 9000, 9002, 9008, 9021, 9022] {
      #expect(say(&store, try event(kind, group: "x'y")) == "!blocked: group 'x'y' doesn't exist")
    }
    for kind in [9002, 9007, 9021] { #expect(say(&store, try event(kind, group: nil)) == "!blocked: missing group (h) tag") }
    #expect(say(&store, try event(40, group: nil)) == nil)
    #expect(say(&store, try event(39000, by: relay)) == "!restricted: the relay alone describes its groups")
    #expect(say(&store, try event(9004)) == "!invalid: unknown moderation kind 9004")
  }

  @Test func everybodyWritesUnlessRestricted() throws {
    var store = try store()
    let message = try event(9, by: guest)
    #expect(try take(&store, message).stored == [message])
    #expect(say(&store, message) == "duplicate: have it already")
    #expect(say(&store, try event(9002, tags: [["restricted"]])) == "")
    #expect(say(&store, try event(11, by: guest)) == "!blocked: unknown member")
    #expect(say(&store, try event(9021, by: guest)) == "")
    #expect(say(&store, try event(11, by: guest)) == "")
  }

  @Test func contentMustBeRecentAndOnlyAdminsDelete() throws {
    let message = try event(9)
    var store = try store(message)
    #expect(say(&store, try event(9, at: now - 61)) == "!blocked: event too old")
    #expect(say(&store, try event(9, at: now - 60)) == "")
    #expect(say(&store, message, at: now + 3_600) == "duplicate: have it already")
    #expect(say(&store, try event(5, tags: [["e", message.id]])) == "!blocked: only admins delete here, by kind 9005")
  }

  @Test func peopleJoinAndLeaveByModerationOfTheRelay() throws {
    var store = try store()
    let joining = try event(9021, by: guest)
    let joined = try take(&store, joining)
    #expect(joined.accepted && joined.stored.map(\.kind) == [9021, 9000] && joined.states.map(\.kind) == [39001, 39002])
    #expect(joined.stored.last?.publicKey == relay.publicKey && joined.stored.last?.tag("p") == guest.publicKey)
    #expect(say(&store, joining) == "!duplicate: already a member")
    let leaving = try event(9022, by: guest)
    let left = try take(&store, leaving)
    #expect(left.accepted && left.stored.map(\.kind) == [9022, 9001])
    #expect(try state(39002, in: store).tags == [["d", "g"], ["p", owner.publicKey]])
    #expect(say(&store, leaving) == "duplicate: have it already")
    #expect(say(&store, try event(9022, by: guest, at: now + 1)) == "!blocked: unknown member")
  }

  @Test func closedGroupsNeedAnInvitation() throws {
    var store = try store(try event(9002, tags: [["closed"]]), try event(9009, tags: [["code", "sesame"]]))
    #expect(say(&store, try event(9021, by: guest)) == "!restricted: group is closed, an invite code is needed")
    #expect(
      say(&store, try event(9021, by: guest, tags: [["code", "no"]]))
        == "!restricted: group is closed, an invite code is needed")
    #expect(say(&store, try event(9021, by: guest, tags: [["code", "sesame"]])) == "")
  }

  @Test func deletedEventsAreGoneAndStayGone() throws {
    let (message, foreign) = (try event(9, by: guest), try event(9, by: guest, group: "h"))
    var store = try store(message, try event(9007, group: "h"), foreign)
    let creation = try event(9007)
    let deletion = try event(9005, tags: [["e", message.id], ["e", foreign.id], ["e", creation.id]])
    #expect(try take(&store, deletion).removed == [message.id])
    #expect(say(&store, message) == "!blocked: this was deleted")
    #expect(say(&store, try event(9005, tags: [["e", message.id]])) == "!blocked: no such event in this group")
    #expect(say(&store, try event(9005, tags: [["e", creation.id]])) == "!blocked: the group's history stays")
    #expect(say(&store, try event(5, group: nil, tags: [["e", creation.id]])) == "!blocked: the group's history stays")
    #expect(say(&store, try event(5, group: nil, tags: [["e", foreign.id]])) == nil)
  }

  @Test func pinnedPostsAreReplacedAsAWhole() throws {
    let (first, second, foreign) = (try event(9), try event(9, by: guest), try event(9, group: "h"))
    var store = try store(first, second, try event(9007, group: "h"), foreign)
    #expect(!store.states(of: ["g"]).contains { $0.kind == 39005 }, "no list was set")
    let article = ["a", "30023:\(owner.publicKey):news", "wss://r.example"]
    let answer = try take(
      &store, event(9010, tags: [["e", second.id, "wss://r.example"], article, ["e", first.id], ["x", "y"]]))
    #expect(answer.states.map(\.kind) == [39005])
    #expect(
      try state(39005, in: store).tags == [["d", "g"], ["e", second.id, "wss://r.example"], article, ["e", first.id]])
    try state(39005, in: store).verify()
    // What is in the list may stay, though it is gone by now.
    #expect(say(&store, try event(9005, tags: [["e", second.id]])) == "")
    #expect(say(&store, try event(9010, tags: [["e", second.id]])) == "")
    #expect(try state(39005, in: store).tags == [["d", "g"], ["e", second.id]])
    #expect(say(&store, try event(9010)) == "")
    #expect(try state(39005, in: store).tags == [["d", "g"]], "the list is empty")
    for id in [second.id, foreign.id, String(repeating: "0", count: 64)] {
      #expect(say(&store, try event(9010, tags: [["e", first.id], ["e", id]])) == "!blocked: no such event in this group")
    }
    #expect(try state(39005, in: store).tags == [["d", "g"]])
  }

  @Test func deletedGroupIsGoneAndItsNameIsUsedUp() throws {
    let message = try event(9)
    var store = try store(message)
    let creation = try event(9007)
    let deletion = try event(9008)
    let answer = try take(&store, deletion)
    #expect(answer.stored == [deletion] && answer.states.isEmpty && answer.removed == [creation.id, message.id])
    #expect(store.states(of: nil).isEmpty)
    #expect(say(&store, creation) == "!blocked: group was deleted")
    #expect(say(&store, deletion) == "!blocked: group 'g' doesn't exist")
  }

  @Test func argumentsAreChecked() throws {
    var store = try store()
    for tags in [[], [["p"]], [["p", "ABC"]], [["p", owner.publicKey.uppercased()]]] {
      for kind in [9000, 9001] {
        #expect(say(&store, try event(kind, tags: tags)) == "!invalid: the action needs p tags with public keys")
      }
    }
    #expect(say(&store, try event(9009)) == "!invalid: the action needs a code tag")
    #expect(say(&store, try event(9005)) == "!blocked: no such event in this group")
    let unsignable = NostrEvent(
      id: "", publicKey: owner.publicKey, createdAt: now, kind: 9002, tags: [["h", "g"], ["name", "\u{7}"]], content: "",
      signature: "")
    #expect(say(&store, unsignable) == "!invalid: control characters in a tag")
  }

  @Test func timelineReferencesMustBeKnown() throws {
    let message = try event(9)
    var store = try store(message)
    let known = String(message.id.prefix(8))
    #expect(say(&store, try event(9, by: guest, tags: [["previous", known]])) == "")
    for kind in [9, 9002] {
      let stranger = try event(kind, tags: [["previous", known, "00000000"]])
      #expect(say(&store, stranger) == "!blocked: previous id '00000000' wasn't found in this group")
    }
    for number in 1...50 { #expect(say(&store, try event(9, at: now + Int64(number))) == "") }
    #expect(
      say(&store, try event(9, tags: [["previous", known]])) == "!blocked: previous id '\(known)' wasn't found in this group")
    #expect(
      say(&store, try event(9007, group: "h", tags: [["previous", known]]))
        == "!blocked: previous id '\(known)' wasn't found in this group")
  }

  @Test func historyMakesTheSameGroupsAgain() throws {
    var first = GroupStore(key: relay)
    var history: [NostrEvent] = []
    let message = try event(9, by: guest)
    for event in [
      try event(9007), try event(9002, tags: [["name", "News"], ["closed"]], at: now + 5),
      try event(9009, tags: [["code", "c"]]),
      try event(9021, by: guest, tags: [["code", "c"]]), message, try event(9010, tags: [["e", message.id]]),
      try event(9005, tags: [["e", message.id]]),
      try event(9007, group: "h"), try event(9008, group: "h"),
    ] {
      let answer = try take(&first, event)
      history = (history + answer.stored).filter { !answer.removed.contains($0.id) }
    }
    var second = GroupStore(key: relay, history: history)
    // Signatures are random, ids are not.
    #expect(Set(second.states(of: nil).map(\.id)) == Set(first.states(of: nil).map(\.id)))
    #expect(say(&second, message) == "!blocked: this was deleted")
    #expect(say(&second, try event(9007, group: "h")) == "!blocked: group was deleted")
  }

  @Test func privateContentAndHiddenMetadataAreForMembers() throws {
    let message = try event(9)
    var store = try store(message)
    let filter = try #require(EventFilter(["kinds": [9], "#h": ["g"]]))
    #expect(store.refusal(of: [filter], by: []) == nil && store.isReadable(message, by: []))
    #expect(say(&store, try event(9002, tags: [["private"]])) == "")
    #expect(store.refusal(of: [filter], by: []) == "auth-required: the group is private")
    #expect(store.refusal(of: [filter], by: [guest.publicKey]) == "restricted: unknown member")
    #expect(store.refusal(of: [filter], by: [guest.publicKey, owner.publicKey]) == nil)
    #expect(!store.isReadable(message, by: []) && store.isReadable(message, by: [owner.publicKey]))
    #expect(store.isReadable(try state(39000, in: store), by: []))
    #expect(say(&store, try event(9002, tags: [["hidden"]])) == "")
    let metadata = try state(39000, in: store)
    #expect(store.isReadable(message, by: []) && !store.isReadable(metadata, by: []))
  }
}
