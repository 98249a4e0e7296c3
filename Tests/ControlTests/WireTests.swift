import Channels
import ControlAPI
import Foundation
import StrictJSON
import Testing
import Varlink

/// The Swift types and the interface files must say the same.
struct WireTests {
  private func keys(_ value: some Encodable) throws -> Set<String> { Set(try value.json.object?.keys.map { $0 } ?? []) }

  private func fields(_ interface: IDL.Interface, _ type: String) throws -> Set<String> {
    for case .structure(let structure) in interface.members where structure.name == type {
      return Set(structure.fields.map(\.name))
    }
    throw CocoaError(.keyValueValidation)
  }

  @Test func typesHaveTheFieldsOfTheInterfaceFiles() throws {
    let roundTrip = RoundTrip(time: "t", milliseconds: 1)
    #expect(try keys(roundTrip) == fields(Interfaces.relays, "RoundTrip"))
    let own = RelayProfile(name: "n", description: "d", software: "s")
    #expect(try keys(own) == fields(Interfaces.relays, "RelayProfile"))
    let relay = Relay(
      id: 1, network: "nostr", address: "a", name: "n", profile: own, domains: [], operatorId: 1, enabled: true,
      preset: false, undeclared: false, declaredIn: "f", deleted: false, capabilities: [], tested: true, testedAt: "t",
      health: "up", healthSince: "t", lastError: "e", networkTrouble: "n", roundTripMilliseconds: 1, roundTrips: [roundTrip],
      channels: 1, revision: 1)
    let roles = Roles(storage: true, proxy: true, names: true)
    #expect(try keys(roles) == fields(Interfaces.servers, "Roles"))
    let overrides = RoleOverrides(storage: true, proxy: true, names: true)
    #expect(try keys(overrides) == fields(Interfaces.servers, "RoleOverrides"))
    let server = Server(
      id: 1, protocol: "smp", address: "a", fingerprint: "f", hosts: [], port: 1, hasPassword: true, operatorId: 1,
      enabled: true, preset: true, undeclared: false, declaredIn: "f", deleted: false, roles: roles, roleOverrides: overrides,
      tested: true, testedAt: "t", health: "up", healthSince: "t", lastError: "e", roundTripMilliseconds: 1,
      roundTrips: [roundTrip], revision: 1)
    let organisation = Operator(
      id: 1, name: "n", legalName: "l", domains: [], enabled: true, preset: true, undeclared: false, declaredIn: "f",
      deleted: false, smpRoles: roles, xftpRoles: roles, conditionsAcceptedAt: "t", revision: 1)
    let finding = Finding(
      kind: "k", severity: "error", protocol: "smp", network: "nostr", host: "h", serverIds: [], relayIds: [], message: "m")
    for interface in [Interfaces.operators, Interfaces.servers, Interfaces.relays] {
      if interface.name != Interfaces.relays.name { #expect(try keys(server) == fields(interface, "Server")) }
      if interface.name != Interfaces.servers.name { #expect(try keys(relay) == fields(interface, "Relay")) }
      #expect(try keys(finding) == fields(interface, "Finding"))
    }
    #expect(try keys(organisation) == fields(Interfaces.operators, "Operator"))
    let problem = Problem(file: "f", line: 1, column: 1, text: "t")
    #expect(try keys(problem) == fields(Interfaces.daemon, "Problem"))
    #expect(try keys(relay) == fields(Interfaces.relays, "Relay"))
    let step = TestStep(name: "n", durationMilliseconds: 1, passed: true, cause: "c", detail: "d")
    #expect(try keys(step) == fields(Interfaces.relays, "TestStep"))
    let member = ChannelRelay(
      relayId: 1, relayName: "n", operatorId: 1, status: "new", cause: "c", detail: "d", attempt: 1, relayLink: "l", since: "s",
      nextAttemptAt: "n", edition: 1)
    #expect(try keys(member) == fields(Interfaces.channels, "ChannelRelay"))
    let profile = ControlAPI.Profile(displayName: "d", fullName: "f", description: "d", image: "i", preferences: [:])
    #expect(try keys(profile) == fields(Interfaces.channels, "Profile"))
    let channel = Channel(
      id: 1, kind: "channel", network: "nostr", owned: true, identity: "main", key: "own", profile: profile, phase: "active",
      summary: "s",
      edition: 1, link: "l",
      linkUsable: true,
      relays: [member], readRelayIds: [1], access: ["closed"], wantedRelays: 1, heal: true, custom: [:], createdAt: "c",
      updatedAt: "u",
      lastPostAt: "l",
      lastPost: "t", lastMessageAt: "l", lastMessage: "m", unread: 1, unreadMentions: 1, memberCount: 1,
      hidden: false, muted: false,
      pinned: false, frozen: false, frozenEnforced: false, followed: true, followDays: 1,
      followCount: 1, followKeep: 1, truncatedAt: "t",
      revision: 1)
    #expect(try keys(channel) == fields(Interfaces.channels, "Channel"))
    let transition = Transition(
      revision: 1, relayId: 1, relayName: "n", from: "new", to: "new", cause: "c", detail: "d", attempt: 1, time: "t")
    #expect(try keys(transition) == fields(Interfaces.channels, "Transition"))
  }

  @Test func postsHaveTheFieldsOfTheInterfaceFile() throws {
    let relay = PostRelay(
      relayId: 1, relayName: "n", status: "sent", cause: "c", detail: "d", attempt: 1, since: "s", nextAttemptAt: "n",
      shown: true, departed: false)
    #expect(try keys(relay) == fields(Interfaces.posts, "PostRelay"))
    let post = Post(
      id: 1, channelId: 1, channelName: "n", network: "nostr", networkId: "i", author: "a", text: "t", replyTo: 1,
      replaces: 1, replacedBy: 2, phase: "pending", summary: "s", relayCount: 1, shownCount: 0, link: "l", relays: [relay],
      createdAt: "c", deletedAt: "d", revision: 1, publishAt: "p", scheduleTrouble: "t",
      reactionTo: 1, forgottenAt: "f", notes: ["n"],
      about: AboutMessage(act: "answer", networkId: "i", author: "a"))
    #expect(try keys(post) == fields(Interfaces.posts, "Post"))
    #expect(try keys(post.about) == fields(Interfaces.posts, "AboutMessage"))
    let action = PostAction(relayId: 1, canEdit: true, canDelete: true, editNote: "e", deleteNote: "d", until: "u")
    #expect(try keys(action) == fields(Interfaces.posts, "PostAction"))
    let line = PostTransition(
      revision: 1, relayId: 1, relayName: "n", from: "sent", to: "sent", cause: "c", detail: "d", attempt: 1, time: "t")
    #expect(try keys(line) == fields(Interfaces.posts, "PostTransition"))
    let attachment = Attachment(
      url: "u", sha256: "s", mimeType: "m", sizeBytes: 1, width: 1, height: 1, altText: "a", blurhash: "b", fallbacks: ["f"])
    #expect(try keys(attachment) == fields(Interfaces.posts, "Attachment"))
  }

  @Test func messagesHaveTheFieldsOfTheInterfaceFile() throws {
    let attachment = MessageAttachment(url: "u", mimeType: "m", sizeBytes: 1, altText: "a")
    #expect(try keys(attachment) == fields(Interfaces.messages, "MessageAttachment"))
    let reaction = MessageReaction(reaction: "+", count: 1, own: false)
    #expect(try keys(reaction) == fields(Interfaces.messages, "MessageReaction"))
    let post = OwnPost(id: 1, phase: "pending", summary: "s", relayCount: 1, shownCount: 0)
    #expect(try keys(post) == fields(Interfaces.messages, "OwnPost"))
    let message = Message(
      id: 1, channelId: 1, channelName: "n", network: "nostr", networkId: "i", author: "a", authorName: "n", text: "t",
      own: true,
      mention: false, post: post, replyTo: 1, replyToNetworkId: "r", attachments: [attachment], reactions: [reaction],
      relayIds: [1], place: 1, time: "t", createdAt: "c", receivedAt: "r", editedAt: "e", deletedAt: "d", hidden: true,
      pinned: false,
      revision: 1)
    #expect(try keys(message) == fields(Interfaces.messages, "Message"))
    let person = Person(
      author: "a", network: "nostr", name: "n", domainName: "d", muted: true, mutedAt: "t", messages: 1, channelIds: [1],
      lastMessageAt: "t",
      lastMessageId: 1)
    #expect(try keys(person) == fields(Interfaces.people, "Person"))
    let member = Member(
      channelId: 1, author: "a", standing: "asking", roles: ["r"], own: false, banned: false, name: "n", muted: true,
      askedAt: "t",
      askedText: "t", lastMessageAt: "t", lastMessageId: 1, revision: 1)
    #expect(try keys(member) == fields(Interfaces.members, "Member"))
    let change = MemberChange(
      postId: 1, channelId: 1, author: "a", wish: "member", roles: ["r"], phase: "failed", settled: true, summary: "s",
      cause: "c", detail: "d")
    #expect(try keys(change) == fields(Interfaces.members, "MemberChange"))
    let freshness = Freshness(relayId: 1, syncedAt: "s", cause: "c", detail: "d")
    #expect(try keys(freshness) == fields(Interfaces.messages, "Freshness"))
    let searched = SearchedRelay(relayId: 1, relayName: "r", outcome: "failed", cause: "c", detail: "d")
    #expect(try keys(searched) == fields(Interfaces.messages, "SearchedRelay"))
    let conversation = Conversation(
      channelId: 1, channelName: "n", owned: true, unread: 1, unreadMentions: 0, readThrough: 0, lastMessageAt: "l",
      lastMessage: "l",
      lastMessageId: 1, memberCount: 1, relays: [freshness], muted: false, pinned: false, hidden: false, truncatedAt: "t",
      revision: 1)
    #expect(try keys(conversation) == fields(Interfaces.messages, "Conversation"))
    let hit = SearchHit(message: message, excerpt: [ExcerptPiece(text: "t", hit: true)])
    #expect(try keys(hit) == fields(Interfaces.messages, "SearchHit"))
  }

  @Test func enumerationsHaveTheWordsOfTheCore() throws {
    func values(_ interface: IDL.Interface, _ type: String) -> [String] {
      for case .enumeration(let name, let values, _) in interface.members where name == type { return values }
      return []
    }
    #expect(values(Interfaces.channels, "RelayStatus") == RelayStatus.allCases.map(\.rawValue))
    #expect(values(Interfaces.channels, "Phase") == ChannelPhase.allCases.map(\.rawValue))
    #expect(values(Interfaces.posts, "DeliveryStatus") == DeliveryStatus.allCases.map(\.rawValue))
    #expect(values(Interfaces.posts, "Phase") == PostPhase.allCases.map(\.rawValue))
    #expect(values(Interfaces.posts, "Network") == NetworkKind.allCases.map(\.rawValue))
    #expect(values(Interfaces.messages, "Phase") == PostPhase.allCases.map(\.rawValue))
    #expect(values(Interfaces.messages, "Network") == NetworkKind.allCases.map(\.rawValue))
    #expect(values(Interfaces.channels, "Network") == NetworkKind.allCases.map(\.rawValue))
    #expect(values(Interfaces.relays, "Health") == PeerCondition.Health.allCases.map(\.rawValue))
    #expect(values(Interfaces.servers, "Health") == PeerCondition.Health.allCases.map(\.rawValue))
    #expect(values(Interfaces.servers, "Protocol") == ServerProtocol.allCases.map(\.rawValue))
  }

  @Test func everythingInTheInterfacesIsDocumented() {
    for interface in Interfaces.all {
      for member in interface.members {
        switch member {
        case .structure(let structure), .error(let structure):
          #expect(!structure.comment.isEmpty, "\(interface.name).\(structure.name)")
          for field in structure.fields { #expect(!field.comment.isEmpty, "\(interface.name).\(structure.name).\(field.name)") }
        case .enumeration(let name, _, let comment): #expect(!comment.isEmpty, "\(interface.name).\(name)")
        case .method(let method):
          #expect(!method.comment.isEmpty, "\(interface.name).\(method.name)")
          for field in method.input + method.output {
            #expect(!field.comment.isEmpty, "\(interface.name).\(method.name).\(field.name)")
          }
        }
      }
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (1_750_000_000_123, "2025-06-15T15:06:40.123Z"),
    (-1, "1969-12-31T23:59:59.999Z"), (4_102_444_799_999, "2099-12-31T23:59:59.999Z"),
    (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
  ])
  func timesAreRFC3339(_ milliseconds: Int64, _ text: String) {
    #expect(RFC3339.text(milliseconds: milliseconds) == text)
    #expect(RFC3339.milliseconds(text) == milliseconds)
  }

  /// No clock gives them, but they must not end the daemon.
  @Test func yearsWithoutFourDigitsAreWrittenToo() {
    #expect(RFC3339.text(milliseconds: 253_402_300_800_000) == "10000-01-01T00:00:00.000Z")
    #expect(RFC3339.text(milliseconds: -62_167_219_200_001) == "00-1-12-31T23:59:59.999Z")
    #expect(RFC3339.text(milliseconds: .max).hasSuffix("Z"))
  }

  @Test func timesAreReadWithAnyOffsetAndRefusedOtherwise() {
    #expect(RFC3339.milliseconds("2025-06-15T17:06:40.1239+02:00") == 1_750_000_000_123)
    #expect(RFC3339.milliseconds("2025-06-15t15:06:40z") == 1_750_000_000_000)
    #expect(RFC3339.milliseconds("2000-02-29T00:00:00Z") == 951_782_400_000)
    #expect(RFC3339.milliseconds("2024-03-01T00:00:00Z") == 1_709_251_200_000)
    for text in [
      "", "2025-06-15", "2025-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2025-06-15T24:00:00Z", "2025-06-15T15:06:40",
      "2025-13-01T00:00:00Z",
    ] {
      #expect(RFC3339.milliseconds(text) == nil, "\(text)")
    }
  }
}
