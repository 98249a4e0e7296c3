import Channels
import ControlAPI
import Foundation
import StrictJSON
import Testing
import Varlink

/// What generated types write is byte for byte what `Codable` makes of them, and their fields are found under the names on the wire.
/// `BATON_SEED=n scripts/test ControlTests --filter WrittenTests` repeats a failure.
struct WrittenTests {
  private typealias Written = Codable & JSONWritable

  /// Where an interface says what a type has.
  private enum Place {
    case type(String)
    case input(String)
    case output(String)

    func fields(_ interface: IDL.Interface) -> [IDL.Field]? {
      switch self {
      case .type(let name):
        interface.members.lazy.compactMap { member in
          if case .structure(let structure) = member, structure.name == name { structure.fields } else { nil }
        }.first
      case .input(let name): interface.methods.first { $0.name == name }?.input
      case .output(let name): interface.methods.first { $0.name == name }?.output
      }
    }
  }

  private static let types: [(type: any Written.Type, interface: IDL.Interface, place: Place)] = [
    (ControlAPI.Profile.self, Interfaces.channels, .type("Profile")),
    (ChannelRelay.self, Interfaces.channels, .type("ChannelRelay")),
    (Channel.self, Interfaces.channels, .type("Channel")),
    (Transition.self, Interfaces.channels, .type("Transition")),
    (CreateChannel.self, Interfaces.channels, .input("Create")), (ChannelReply.self, Interfaces.channels, .output("Get")),
    (ListRequest.self, Interfaces.channels, .input("List")), (ChannelsListReply.self, Interfaces.channels, .output("List")),
    (ChannelsGetRequest.self, Interfaces.channels, .input("Get")),
    (ChannelsSetFollowingRequest.self, Interfaces.channels, .input("SetFollowing")),
    (ChannelsFollowRequest.self, Interfaces.channels, .input("Follow")),
    (ChannelsUnfollowRequest.self, Interfaces.channels, .input("Unfollow")),
    (ChannelsLinkRequest.self, Interfaces.channels, .input("Link")),
    (ChannelsLinkReply.self, Interfaces.channels, .output("Link")),
    (ChannelsRetryRelayRequest.self, Interfaces.channels, .input("RetryRelay")),
    (UpdateChannel.self, Interfaces.channels, .input("Update")),
    (ChannelsAddRelaysRequest.self, Interfaces.channels, .input("AddRelays")),
    (ChannelsRemoveRelayRequest.self, Interfaces.channels, .input("RemoveRelay")),
    (ChannelsVerifyRequest.self, Interfaces.channels, .input("Verify")),
    (ChannelsDeleteRequest.self, Interfaces.channels, .input("Delete")),
    (ChannelsTransitionsRequest.self, Interfaces.channels, .input("Transitions")),
    (ChannelsTransitionsReply.self, Interfaces.channels, .output("Transitions")),
    (ChannelCount.self, Interfaces.channels, .type("ChannelCount")),
    (ChannelsCountsReply.self, Interfaces.channels, .output("Counts")),
    (Emoji.self, Interfaces.posts, .type("Emoji")), (Attachment.self, Interfaces.posts, .type("Attachment")),
    (PostRelay.self, Interfaces.posts, .type("PostRelay")), (Post.self, Interfaces.posts, .type("Post")),
    (PostTransition.self, Interfaces.posts, .type("PostTransition")),
    (PostsReleaseRequest.self, Interfaces.posts, .input("Release")),
    (PostsPublishRequest.self, Interfaces.posts, .input("Publish")),
    (PostsPublishReply.self, Interfaces.posts, .output("Publish")), (PostsGetRequest.self, Interfaces.posts, .input("Get")),
    (PostsEditRequest.self, Interfaces.posts, .input("Edit")), (PostsEditReply.self, Interfaces.posts, .output("Edit")),
    (PostAction.self, Interfaces.posts, .type("PostAction")), (PostsGetReply.self, Interfaces.posts, .output("Get")),
    (PostReply.self, Interfaces.posts, .output("Delete")), (PostsListRequest.self, Interfaces.posts, .input("List")),
    (PostsListReply.self, Interfaces.posts, .output("List")), (PostsWatchRequest.self, Interfaces.posts, .input("Watch")),
    (PostsWatchReply.self, Interfaces.posts, .output("Watch")),
    (PostsTransitionsRequest.self, Interfaces.posts, .input("Transitions")),
    (PostsTransitionsReply.self, Interfaces.posts, .output("Transitions")),
    (PostsDeleteRequest.self, Interfaces.posts, .input("Delete")), (PostsRetryRequest.self, Interfaces.posts, .input("Retry")),
    (ExportedPost.self, Interfaces.posts, .type("ExportedPost")),
    (PostsReactRequest.self, Interfaces.posts, .input("React")), (PostsReactReply.self, Interfaces.posts, .output("React")),
    (PostsReportRequest.self, Interfaces.posts, .input("Report")),
    (PostsReportReply.self, Interfaces.posts, .output("Report")),
    (PostsRemoveRequest.self, Interfaces.posts, .input("Remove")),
    (PostsRemoveReply.self, Interfaces.posts, .output("Remove")),
    (ControlAPI.AboutMessage.self, Interfaces.posts, .type("AboutMessage")),
    (PostsPinRequest.self, Interfaces.posts, .input("Pin")), (PostsPinReply.self, Interfaces.posts, .output("Pin")),
    (PostsUnpinRequest.self, Interfaces.posts, .input("Unpin")),
    (Retention.self, Interfaces.posts, .type("Retention")),
    (PostsSetRetentionRequest.self, Interfaces.posts, .input("SetRetention")),
    (PostsGetRetentionRequest.self, Interfaces.posts, .input("GetRetention")),
    (RetentionReply.self, Interfaces.posts, .output("GetRetention")),
    (PostsExportRequest.self, Interfaces.posts, .input("Export")), (PostsExportReply.self, Interfaces.posts, .output("Export")),
    (PostsAdoptRequest.self, Interfaces.posts, .input("Adopt")), (PostsAdoptReply.self, Interfaces.posts, .output("Adopt")),
    (PostsAuthorizeUploadRequest.self, Interfaces.posts, .input("AuthorizeUpload")),
    (PostsAuthorizeUploadReply.self, Interfaces.posts, .output("AuthorizeUpload")),
    (PostsCancelRequest.self, Interfaces.posts, .input("Cancel")),
    (MessageAttachment.self, Interfaces.messages, .type("MessageAttachment")),
    (MessageReaction.self, Interfaces.messages, .type("MessageReaction")),
    (OwnPost.self, Interfaces.messages, .type("OwnPost")), (Message.self, Interfaces.messages, .type("Message")),
    (Freshness.self, Interfaces.messages, .type("Freshness")),
    (Conversation.self, Interfaces.messages, .type("Conversation")),
    (ExcerptPiece.self, Interfaces.messages, .type("ExcerptPiece")),
    (SearchHit.self, Interfaces.messages, .type("SearchHit")),
    (MessagesListRequest.self, Interfaces.messages, .input("List")),
    (MessagesListReply.self, Interfaces.messages, .output("List")),
    (MessagesGetRequest.self, Interfaces.messages, .input("Get")), (MessageReply.self, Interfaces.messages, .output("Get")),
    (MessagesSearchRequest.self, Interfaces.messages, .input("Search")),
    (MessagesSearchReply.self, Interfaces.messages, .output("Search")),
    (MessagesInboxRequest.self, Interfaces.messages, .input("Inbox")),
    (MessagesInboxReply.self, Interfaces.messages, .output("Inbox")),
    (MessagesMarkReadRequest.self, Interfaces.messages, .input("MarkRead")),
    (MessagesMarkUnreadRequest.self, Interfaces.messages, .input("MarkUnread")),
    (ConversationReply.self, Interfaces.messages, .output("MarkRead")),
    (MessagesSyncRequest.self, Interfaces.messages, .input("Sync")),
    (MessagesSyncReply.self, Interfaces.messages, .output("Sync")),
    (SearchedRelay.self, Interfaces.messages, .type("SearchedRelay")),
    (MessagesSearchRelaysRequest.self, Interfaces.messages, .input("SearchRelays")),
    (MessagesSearchRelaysReply.self, Interfaces.messages, .output("SearchRelays")),
    (MessagesWatchRequest.self, Interfaces.messages, .input("Watch")),
    (MessagesWatchReply.self, Interfaces.messages, .output("Watch")),
    (MessagesSetPinnedRequest.self, Interfaces.messages, .input("SetPinned")),
    (MessagesSetHiddenRequest.self, Interfaces.messages, .input("SetHidden")),
    (Member.self, Interfaces.members, .type("Member")), (MemberChange.self, Interfaces.members, .type("MemberChange")),
    (MembersListRequest.self, Interfaces.members, .input("List")),
    (MembersListReply.self, Interfaces.members, .output("List")),
    (MembersWatchRequest.self, Interfaces.members, .input("Watch")),
    (MembersWatchReply.self, Interfaces.members, .output("Watch")),
    (MembersAddRequest.self, Interfaces.members, .input("Add")), (MembersAddReply.self, Interfaces.members, .output("Add")),
    (MembersSetRoleRequest.self, Interfaces.members, .input("SetRole")),
    (MembersSetRoleReply.self, Interfaces.members, .output("SetRole")),
    (MembersRemoveRequest.self, Interfaces.members, .input("Remove")),
    (MembersRemoveReply.self, Interfaces.members, .output("Remove")),
    (MembersBanReply.self, Interfaces.members, .output("Ban")),
    (MembersUnbanReply.self, Interfaces.members, .output("Unban")),
    (MembersDeclineRequest.self, Interfaces.members, .input("Decline")),
    (MemberReply.self, Interfaces.members, .output("Decline")), (MembersBanRequest.self, Interfaces.members, .input("Ban")),
    (MembersUnbanRequest.self, Interfaces.members, .input("Unban")),
    (Person.self, Interfaces.people, .type("Person")), (PeopleListRequest.self, Interfaces.people, .input("List")),
    (PeopleListReply.self, Interfaces.people, .output("List")), (PeopleGetRequest.self, Interfaces.people, .input("Get")),
    (PersonReply.self, Interfaces.people, .output("Get")),
    (PeopleSetMutedRequest.self, Interfaces.people, .input("SetMuted")),
    (ChannelsSetMutedRequest.self, Interfaces.channels, .input("SetMuted")),
    (ChannelsSetPinnedRequest.self, Interfaces.channels, .input("SetPinned")),
    (ChannelsSetFrozenRequest.self, Interfaces.channels, .input("SetFrozen")),
    (ChannelsSetHiddenRequest.self, Interfaces.channels, .input("SetHidden")),
    (ChannelsTruncateRequest.self, Interfaces.channels, .input("Truncate")),
    (ChannelsTruncateReply.self, Interfaces.channels, .output("Truncate")),
    (RelayCounts.self, Interfaces.daemon, .type("RelayCounts")),
    (UnusableNetwork.self, Interfaces.daemon, .type("UnusableNetwork")), (Problem.self, Interfaces.daemon, .type("Problem")),
    (Metric.self, Interfaces.daemon, .type("Metric")), (MetricLabel.self, Interfaces.daemon, .type("MetricLabel")),
    (MetricBucket.self, Interfaces.daemon, .type("MetricBucket")), (DaemonStatus.self, Interfaces.daemon, .output("Status")),
    (DaemonMetricsReply.self, Interfaces.daemon, .output("Metrics")),
    (DaemonCheckReply.self, Interfaces.daemon, .output("Check")),
    (DaemonClusterReply.self, Interfaces.daemon, .output("Cluster")),
    (DaemonPermissionsReply.self, Interfaces.daemon, .output("Permissions")),
    (DaemonDrainRequest.self, Interfaces.daemon, .input("Drain")),
    (SharingDaemon.self, Interfaces.daemon, .type("SharingDaemon")),
    (SharedCore.self, Interfaces.daemon, .type("SharedCore")),
    (DaemonBackupReply.self, Interfaces.daemon, .output("Backup")), (ReloadReport.self, Interfaces.daemon, .output("Reload")),
    (Identity.self, Interfaces.identities, .type("Identity")),
    (IdentitiesListReply.self, Interfaces.identities, .output("List")),
    (IdentitiesGetRequest.self, Interfaces.identities, .input("Get")),
    (IdentityReply.self, Interfaces.identities, .output("Get")),
    (IdentitiesAddRequest.self, Interfaces.identities, .input("Add")),
    (IdentitiesRemoveRequest.self, Interfaces.identities, .input("Remove")),
    (WatchRequest.self, Interfaces.monitor, .input("Watch")), (ChangeMessage.self, Interfaces.monitor, .output("Watch")),
    (ChannelTransition.self, Interfaces.monitor, .type("ChannelTransition")),
    (MonitorTransitionsRequest.self, Interfaces.monitor, .input("Transitions")),
    (MonitorTransitionsReply.self, Interfaces.monitor, .output("Transitions")),
    (HealthChange.self, Interfaces.monitor, .type("HealthChange")),
    (MonitorHealthChangesRequest.self, Interfaces.monitor, .input("HealthChanges")),
    (MonitorHealthChangesReply.self, Interfaces.monitor, .output("HealthChanges")),
    (Operator.self, Interfaces.operators, .type("Operator")), (AddOperator.self, Interfaces.operators, .input("Add")),
    (UpdateOperator.self, Interfaces.operators, .input("Update")), (OperatorReply.self, Interfaces.operators, .output("Add")),
    (OperatorsListReply.self, Interfaces.operators, .output("List")),
    (OperatorsGetRequest.self, Interfaces.operators, .input("Get")),
    (OperatorsGetReply.self, Interfaces.operators, .output("Get")),
    (OperatorsRemoveRequest.self, Interfaces.operators, .input("Remove")),
    (OperatorsValidateReply.self, Interfaces.operators, .output("Validate")),
    (Finding.self, Interfaces.operators, .type("Finding")), (RelayProfile.self, Interfaces.relays, .type("RelayProfile")),
    (Relay.self, Interfaces.relays, .type("Relay")), (TestStep.self, Interfaces.relays, .type("TestStep")),
    (AddRelay.self, Interfaces.relays, .input("Add")), (UpdateRelay.self, Interfaces.relays, .input("Update")),
    (TestRequest.self, Interfaces.relays, .input("Test")), (TestReply.self, Interfaces.relays, .output("Test")),
    (RelayReply.self, Interfaces.relays, .output("Get")), (RelaysListReply.self, Interfaces.relays, .output("List")),
    (RelaysGetRequest.self, Interfaces.relays, .input("Get")), (RelaysRemoveRequest.self, Interfaces.relays, .input("Remove")),
    (ChannelsAtRelay.self, Interfaces.relays, .type("ChannelsAtRelay")), (Spread.self, Interfaces.relays, .type("Spread")),
    (RelayFigures.self, Interfaces.relays, .type("RelayFigures")),
    (RelaysCountsReply.self, Interfaces.relays, .output("Counts")),
    (RelaysFiguresReply.self, Interfaces.relays, .output("Figures")),
    (Roles.self, Interfaces.servers, .type("Roles")), (RoleOverrides.self, Interfaces.servers, .type("RoleOverrides")),
    (RoundTrip.self, Interfaces.servers, .type("RoundTrip")), (Server.self, Interfaces.servers, .type("Server")),
    (AddServer.self, Interfaces.servers, .input("Add")), (UpdateServer.self, Interfaces.servers, .input("Update")),
    (ServerReply.self, Interfaces.servers, .output("Get")), (ServersListReply.self, Interfaces.servers, .output("List")),
    (ServersGetRequest.self, Interfaces.servers, .input("Get")),
    (ServersRemoveRequest.self, Interfaces.servers, .input("Remove")),
    (ServersTestRequest.self, Interfaces.servers, .input("Test")),
    (ServiceGetLogLevelReply.self, Interfaces.systemd, .output("GetLogLevel")),
    (ServiceSetLogLevelRequest.self, Interfaces.systemd, .input("SetLogLevel")),
  ]

  @Test func allGeneratedTypesAreTried() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/ControlAPI/Generated")
    var names: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /public struct (\w+):/) { names.insert(String(match.1)) }
    }
    #expect(names == Set(Self.types.map { "\($0.type)" }))
  }

  @Test func typesWriteWhatCodableMakesOfThem() throws {
    let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap(UInt64.init) ?? 20_261_122
    var random = SplitMix64(seed: seed)
    for (type, interface, place) in Self.types {
      let fields = try #require(place.fields(interface), "\(type)")
      for _ in 0..<30 { try Self.compare(type, fields, interface, &random, "repeat with BATON_SEED=\(seed)") }
    }
  }

  private static func compare<Value: Written>(
    _ type: Value.Type, _ fields: [IDL.Field], _ interface: IDL.Interface, _ random: inout SplitMix64, _ hint: Comment
  ) throws {
    let value = try Value(json: .object(members(fields, interface, &random)))
    let tree = try value.json
    #expect(String(decoding: value.jsonBytes, as: UTF8.self) == tree.text, hint)
    #expect(try JSONParser.parse(value.jsonBytes) == tree, hint)
    guard let object = value as? any ListedObject else { return }
    for field in fields { #expect(object[field.name] == tree[field.name], hint) }
    #expect(object["nowhere"] == nil && object[""] == nil)
  }

  private static let texts = [
    "", "news", "quote\" \\ / \u{0}\u{1F}\u{7F}", "\n\r\t\u{8}\u{C}", "é e\u{301} 日本語 🙂\u{2028}", "{", "[[", "null", ",\":",
  ]

  private static func members(
    _ fields: [IDL.Field], _ interface: IDL.Interface, _ random: inout SplitMix64
  ) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    for field in fields { members[field.name] = value(field.type, interface, &random) }
    return members
  }

  /// - Returns: nil for what is absent.
  private static func value(
    _ type: IDL.FieldType, _ interface: IDL.Interface, _ random: inout SplitMix64
  ) -> JSONValue? {
    switch type {
    case .optional(let wrapped): return Bool.random(using: &random) ? value(wrapped, interface, &random) : nil
    case .bool: return .bool(.random(using: &random))
    case .int: return .integer([0, -1, 7, .max, .min].randomElement(using: &random) ?? 0)
    case .float: return .number([0, -0.25, 1e300, 5, 0.1].randomElement(using: &random) ?? 0)
    case .string, .enumeration: return .string(texts.randomElement(using: &random) ?? "")
    case .object: return anything(&random, depth: 0)
    case .structure(let fields): return .object(members(fields, interface, &random))
    case .array(let element):
      return .array((0..<Int.random(in: 0...3, using: &random)).compactMap { _ in value(element, interface, &random) })
    case .map(let element):
      let keys = texts.prefix(.random(in: 0...3, using: &random))
      return .object(Dictionary(keys.map { ($0, value(element, interface, &random) ?? .null) }) { first, _ in first })
    case .named(let name):
      guard let fields = Place.type(name).fields(interface) else { return .string(texts.randomElement(using: &random) ?? "") }
      return .object(members(fields, interface, &random))
    }
  }

  private static func anything(_ random: inout SplitMix64, depth: Int) -> JSONValue {
    switch Int.random(in: 0...(depth < 3 ? 6 : 4), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .integer(.random(in: .min ... .max, using: &random))
    case 3: return .number(.random(in: -1...1, using: &random))
    case 4: return .string(texts.randomElement(using: &random) ?? "")
    case 5: return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in anything(&random, depth: depth + 1) })
    default:
      let keys = texts.shuffled(using: &random).prefix(3)
      return .object(Dictionary(keys.map { ($0, anything(&random, depth: depth + 1)) }) { first, _ in first })
    }
  }
}
