public import Channels
public import Secrets

/// A relay protocol that Baton can run channels on.
///
/// A network gets operations through `perform` and answers through the report function given to `run`: one outcome per operation, plus
/// events that no operation caused. It keeps no state that the store does not have, so performing an operation twice does no harm.
public protocol RelayNetwork: RelayAddressing {
  /// Whether a relay from which a channel was removed can get the channel again.
  var takesRemovedRelaysAgain: Bool { get }

  /// A new key pair, or the pair that belongs to `secret`.
  /// - Parameter secret: the secret key in the network's binary form, or `nil` to draw a new one.
  func makeIdentity(secret: Secret?) throws(NetworkFailure) -> IdentityKey

  /// Reads a secret key as people write it. The failure does not show the text.
  func secret(from text: String) throws(NetworkFailure) -> Secret

  /// Lets the network sign for `identity`.
  func unlock(_ identity: IdentityID, key: IdentityKey)

  /// Forgets the key of `identity`.
  func lock(_ identity: IdentityID)

  /// Checks whether the network shows a channel with this profile, which is in normal form. It is called before anything is stored.
  /// - Throws: `ProfileRefusal` with the change to make.
  func check(_ profile: Profile) throws(ProfileRefusal)

  /// Creates the channel's immutable content, signed by its owner. It must be stored before it is sent anywhere. For a group, the
  /// relay is asked whether it offers groups.
  func prepare(_ draft: ChannelDraft) async throws(NetworkFailure) -> ChannelContent

  /// Creates a new edition of what readers see of a channel. It must be stored before it is sent anywhere.
  /// - Parameter content: the channel with its newest edition so far.
  /// - Throws: an error, including when the edition would need a date so far ahead that relays do not accept it (`ChannelDraft.stray`).
  func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition

  /// Reads a link to a channel that anyone may run, as people pass it on.
  /// - Returns: `nil` if it is not a link of this network.
  /// - Throws: an error if it is one, but does not name a channel that can be followed. The error is "unsupported" if the network follows
  ///   no channels.
  func channel(fromLink text: String) throws(NetworkFailure) -> ChannelReference?

  /// Reads the description of someone else's channel at a relay.
  /// - Parameters:
  ///   - identity: on whose behalf the channel is followed.
  ///   - address: the normal address of the relay.
  /// - Throws: an error if the relay does not answer, or does not show such a channel.
  func look(
    for channel: ChannelReference, as identity: IdentityID, at address: String
  ) async throws(NetworkFailure) -> FoundChannel

  /// Joins someone else's channel, under a name that reveals nothing about our identities, unless it is joined already.
  /// - Parameter identity: on whose behalf the channel is followed.
  func join(_ channel: ChannelReference, as identity: IdentityID) async throws(NetworkFailure) -> FoundChannel

  /// Leaves someone else's channel. A channel that is not joined counts as left.
  func leave(_ content: ChannelContent) async throws(NetworkFailure)

  /// The actions in a channel that are reserved for members. Empty where anyone may do everything, or where the network has no such rules.
  func access(to content: ChannelContent) -> Set<GroupAccess>

  /// The link that a reader opens to join, with the active relays as hints.
  func link(of content: ChannelContent, activeRelays: [String]) -> String

  /// Starts an operation and returns without waiting. The outcome comes by report.
  func perform(_ operation: RelayOperation)

  /// Gives a post its form, signed by the channel's author where the network signs a post once. It must be stored before it is sent
  /// anywhere.
  /// - Parameter relays: normal addresses of the relays where readers find the channel, best first.
  func compose(_ draft: PostDraft, in content: ChannelContent, at relays: [String]) throws(PostFailure) -> PostDocument

  /// Whether an edit changes a post in place (`revise`). Otherwise a post never changes, and another one replaces it.
  var editsInPlace: Bool { get }

  /// Gives the next edition of a post its form, where posts are edited in place. It must be stored before it is sent anywhere.
  /// - Parameters:
  ///   - post: the stored post.
  ///   - publishedAt: when it was published.
  ///   - draft: the new content of the post. The post that it answers does not change.
  func revise(_ post: PostDocument, publishedAt: Timestamp, as draft: PostDraft) throws(PostFailure) -> PostDocument

  /// Gives the request to delete a post its form. It must be stored before it is sent anywhere.
  /// - Parameter reason: the reason that readers see. It may be empty.
  func composeDeletion(
    of post: PostDocument, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> PostDocument

  /// Gives a reaction to one of our posts its form, signed like a post. It must be stored before it is sent anywhere.
  func composeReaction(_ draft: ReactionDraft, in content: ChannelContent) throws(PostFailure) -> PostDocument

  /// Gives the wish that one of our posts be among the pinned posts of its channel its form. It is delivered and stored like a post, and
  /// deleting it removes the pin.
  /// - Parameter target: the post.
  func composePin(of target: PostReference, in content: ChannelContent) throws(PostFailure) -> PostDocument

  /// Gives the report of someone else's message its form, signed like a post. It must be stored before it is sent anywhere.
  func composeReport(
    _ report: Report, of message: PostReference, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument

  /// Gives the wish that someone belong to a channel, or not, its form. It is delivered and stored like a post. Deleting it gives the wish
  /// up.
  func composeMembership(_ change: MembershipChange, in content: ChannelContent) throws(PostFailure) -> PostDocument

  /// Gives the wish that someone else's message be gone its form: a document that names the message, and the request that relays get. Both
  /// must be stored before anything is sent. It is delivered as the deletion of a post is.
  /// - Parameters:
  ///   - message: the message.
  ///   - createdAt: when it was written, by its author's account.
  ///   - reason: the reason that relays and readers see. It may be empty.
  func composeRemoval(
    of message: PostReference, createdAt: Timestamp, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> (message: PostDocument, deletion: PostDocument)

  /// A reference to one of our posts, as other posts make it, or `nil` if the document does not belong to this network.
  /// - Parameter relays: normal addresses of the relays where it was read back.
  func reference(to post: PostDocument, at relays: [String]) -> PostReference?

  /// A person's name as messages have it (`ReadMessage.author`), from the form that people write, such as npub1… or nprofile1…, or `nil` if
  /// it cannot be told from any other text.
  func author(from text: String) -> String?

  /// A reference to a message that was read in a channel and is not our own post, or `nil` if the name does not belong to this network.
  /// - Parameters:
  ///   - author: the author, in the network's notation.
  ///   - textBytes: the size of its text as JSON, in bytes.
  ///   - relays: normal addresses of the relays from which it was read.
  func reference(
    toMessage networkID: String, by author: String, textBytes: Int, in content: ChannelContent, at relays: [String]
  ) -> PostReference?

  /// The link that a reader opens to see the post, with the relays where it was read back as hints, or `nil` if the network has no links.
  func link(to post: PostDocument, at relays: [String]) -> String?

  /// The part of a document that Baton keeps of a forgotten post, to name, compare and delete it. The methods above and below accept it in
  /// place of the document's text. It contains nothing that the author wrote.
  /// - Returns: `nil` if nothing can be left out, so that posts of this network are never forgotten.
  func remnant(of post: PostDocument) -> String?

  /// Why posts of a channel are never forgotten, as the rest of a sentence for people, or `nil` if they can be.
  func whyNotForgotten(in content: ChannelContent) -> String?

  /// Notes for the publisher of one of our posts, in whole sentences. Empty if there is nothing to note.
  /// - Parameter publishedAt: when it was published.
  func notes(on post: PostDocument, publishedAt: Timestamp) -> [String]

  /// The expected effect of editing or deleting a post at a relay now. It is asked for our own posts only.
  func forecast(of place: PostPlace) -> PostForecast

  /// Starts an operation for a post and returns without waiting. Outcomes come by report.
  func deliver(_ operation: DeliveryOperation)

  /// Answers `handedOver`.
  func release(_ turn: DeliveryTurn)

  /// Starts to list a channel's own posts at a relay and returns without waiting. The outcome comes by report. A network that cannot list
  /// them reports nothing.
  func compare(_ comparison: PostComparison)

  /// Begins to read the messages of a channel, or continues with these relays, and returns without waiting. Messages come by report. The
  /// network keeps the connection, opens lost ones again, and asks for the messages that it missed. Calling it again with the same channel
  /// does nothing.
  func follow(_ channel: FollowedChannel)

  /// Stops reading a channel. Messages that were read before may still come.
  func unfollow(_ channel: ChannelID)

  /// A batch was stored, or will never be, so the network may read further.
  func took(_ batch: MessageBatch.ID)

  /// Starts to ask all relays of a followed channel for everything within its window. Each of them reports `synced`.
  func sync(_ channel: ChannelID)
  /// Answers `NetworkReport.served`: the stored messages of the channel, from all relays, except the messages that were served.
  func lacks(_ missing: StoredNames, in inventory: MessageInventory)

  /// Starts to ask all relays of a followed channel for messages with certain words. Each of them reports `searched`. A network whose
  /// relays do not search reports nothing.
  func search(_ search: RelaySearch)

  /// The date that a post has on its network, or `nil` if the document does not belong to this network.
  func date(of post: PostDocument) -> Timestamp?

  /// Reads a post of the channel's author, or the request to delete one, that was signed before. Anything may be in the text, so all of it
  /// is verified.
  func signed(_ text: String, in content: ChannelContent) throws(PostFailure) -> SignedPost

  /// The signed post or deletion, on one line, as other programs of the network read and verify it, or `nil` if the document has none.
  func signedText(of document: PostDocument) -> String?

  /// Lets a client upload a file that a post of the channel will show, in the name of the channel's author.
  /// - Parameter sha256: 64 lower-case hexadecimal digits.
  func authorizeUpload(
    sha256: String, sizeBytes: Int64, in content: ChannelContent
  ) throws(PostFailure) -> UploadAuthorization

  /// Prevents everything that still waits for `channel` at `relay` from being sent. Its outcome may be anything final.
  func cancel(_ channel: ChannelID, at relay: RelayID)

  /// Returns once nothing more is sent for the channels in these slots, posts included: another daemon will act for them. Data sent earlier
  /// may still arrive at a relay, but no one waits for its outcome.
  func abandon(_ slots: SlotSet) async

  /// The channels in these slots now belong to this daemon. Earlier reports about them are not known.
  func gained(_ slots: SlotSet)

  /// Keeps a connection to these relays and reports when one goes up or down. It replaces the earlier set.
  func watch(_ relays: [RelayID: String])

  /// Tests a relay step by step as a reader and publisher would. Ending the iteration ends the test.
  /// - Parameters:
  ///   - identity: the identity whose key may sign probes.
  ///   - depth: how far the test goes.
  func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep>

  /// Serves until cancelled. Reports may come from any thread. Reports about one relay keep their order. Reports from before this call are
  /// kept for it.
  func run(report: @escaping @Sendable (NetworkReport) -> Void) async
}

extension RelayNetwork {
  /// Most networks are asked about the channels that this daemon gained.
  public func gained(_ slots: SlotSet) {}

  /// By default a relay is asked to delete the channel, and does not accept it again.
  public var takesRemovedRelaysAgain: Bool { false }

  /// Networks without groups have no such rules.
  public func access(to content: ChannelContent) -> Set<GroupAccess> { [] }

  /// Most networks show every profile that Baton accepts.
  public func check(_ profile: Profile) throws(ProfileRefusal) {}
}

/// The key pair of an identity. The secret never appears in descriptions.
public struct IdentityKey: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The identity's public name, in the network's notation: on Nostr its public key, and where the network keeps the keys, words that name
  /// their owner.
  public let publicName: String
  /// The secret key in the network's binary form.
  public let secret: Secret

  public init(publicName: String, secret: Secret) {
    self.publicName = publicName
    self.secret = secret
  }

  /// Two pairs with one public name are the same pair.
  public static func == (a: Self, b: Self) -> Bool { a.publicName == b.publicName }

  public var description: String { "IdentityKey(\(publicName))" }
  public var customMirror: Mirror { Mirror(self, children: ["publicName": publicName]) }
}

/// The channel that an operator requested, before the network gave it a form.
public struct ChannelDraft: Sendable {
  public let kind: ChannelKind
  /// The actions that are reserved for members of a group. A new edition keeps the rules with which the group was created.
  public let access: Set<GroupAccess>
  public let identity: IdentityID
  public let profile: Profile
  /// Normal addresses of the relays that readers are given.
  public let relays: [String]
  /// The key that must sign, or `nil` for the channel's own key, unless a relay accepts only events signed by known authors.
  public let key: ChannelKey?
  /// The capabilities that tests found in these relays, by address: `PeerDescription.capabilities`. Untested relays are absent.
  public let capabilities: [String: [String]]
  /// A date that a new edition must follow, in addition to the newest edition's date.
  public let stray: StrayEdition?

  public init(
    kind: ChannelKind = .channel, access: Set<GroupAccess> = [], identity: IdentityID, profile: Profile, relays: [String],
    key: ChannelKey? = nil, capabilities: [String: [String]] = [:], stray: StrayEdition? = nil
  ) {
    self.access = access
    self.stray = stray
    self.kind = kind
    self.identity = identity
    self.profile = profile
    self.relays = relays
    self.key = key
    self.capabilities = capabilities
  }
}

/// A channel in the form that its network gave it. Only the newest edition ever changes.
public struct ChannelContent: Hashable, Sendable {
  public let kind: ChannelKind
  public let identity: IdentityID
  /// The network's name for the channel. Nostr: the id of its kind 40 event, or of the group. SimpleX: the group's number in the core, or a
  /// name that Baton chose until there is one.
  public let networkID: String
  /// The key whose signature readers check, in the network's notation: the owner's public key, or for a group its relay's. On SimpleX: the
  /// channel's link, which holds that key, and empty until there is one.
  public let trustAnchor: String
  /// The document that every relay gets, byte for byte. For groups it is signed again each time.
  public let document: String
  /// Number of the newest edition. Edition 1 is `document`.
  public let edition: Int
  /// The newest edition, or `nil` while that is the first, which is `document`.
  public let newestEdition: ChannelEdition?
  /// The channel's own key follows from this and the identity's secret. `nil` if the identity's key signs or the network keeps the keys.
  public let keySalt: [UInt8]?

  public init(
    kind: ChannelKind = .channel, identity: IdentityID, networkID: String, trustAnchor: String, document: String,
    edition: Int = 1, newestEdition: ChannelEdition? = nil, keySalt: [UInt8]? = nil
  ) {
    self.keySalt = keySalt
    self.kind = kind
    self.identity = identity
    self.networkID = networkID
    self.trustAnchor = trustAnchor
    self.document = document
    self.edition = edition
    self.newestEdition = newestEdition
  }
}

extension ChannelContent {
  /// Whether the identity signs this channel and others with one key.
  public var sharesKey: Bool { kind == .channel && keySalt == nil }
}

/// An action to perform for one channel on one relay.
public struct RelayOperation: Hashable, Sendable {
  public enum Task: String, Hashable, Sendable {
    case invite, verify, withdraw
    /// Hand over the newest edition.
    case announce
  }
  public let task: Task
  public let channel: ChannelID
  public let relay: RelayID
  public let address: String
  /// The number that comes back with the outcome.
  public let number: Int
  public let content: ChannelContent
  /// Whether the whole channel is given up, and not only this relay.
  public let isDeletion: Bool

  public init(
    task: Task, channel: ChannelID, relay: RelayID, address: String, number: Int, content: ChannelContent,
    isDeletion: Bool = false
  ) {
    self.isDeletion = isDeletion
    self.task = task
    self.channel = channel
    self.relay = relay
    self.address = address
    self.number = number
    self.content = content
  }
}

/// The outcome of an operation.
public enum RelayOutcome: Hashable, Sendable {
  /// Progress only: the invitation left for the relay. Another outcome follows.
  case handedOver
  case accepted(link: String)
  /// - edition: the newest edition that a reader finds, or 0 if a reader finds the channel without any.
  /// - others: the editions of the author's other channels that a reader finds, if the edition is not the newest.
  case verified(edition: Int, others: OtherEditions = .unknown)
  case missing
  case withdrawn
  case announced
  /// A refusal for good: cause `rejected`, `authRequired` or `onePerAuthor`.
  case refused(Trouble)
  case misbehaved(Trouble)
  case troubled(Trouble, retryAfter: Duration?)

  /// Whether the operation is over.
  public var isFinal: Bool { self != .handedOver }
}

/// An event that a network reports.
public enum NetworkReport: Hashable, Sendable {
  case outcome(channel: ChannelID, relay: RelayID, number: Int, RelayOutcome)
  /// The outcome of an operation for a post.
  /// - form: the new form of the post, if the network gave it another: where each attempt is signed again, or where the network names a
  ///   post only after receiving it. It is stored with the outcome, and for `handedOver` before the post leaves.
  case delivery(post: PostID, relay: RelayID, number: Int, DeliveryOutcome, form: PostDocument? = nil)
  /// The outcome of a comparison.
  case compared(channel: ChannelID, relay: RelayID, number: Int, PostComparisonOutcome)
  /// Messages of followed channels.
  case read(MessageBatch)
  /// A relay was asked for all messages of a channel, and these are the messages that it serves. It comes once all of them were processed,
  /// and the network waits for `RelayNetwork.lacks` before it reads further there.
  case served(MessageInventory)
  /// A relay was asked for all its messages of a channel, for any reason. It comes after the reports of the messages read, once all of them
  /// were processed.
  case synced(channel: ChannelID, relay: RelayID, MessageSync)
  /// A relay was asked for messages with certain words. It comes after the reports of the messages read, once all of them were processed.
  /// - number: the number of the question.
  case searched(channel: ChannelID, relay: RelayID, number: Int, RelaySearchOutcome)
  /// The network itself has created the channel, and this is now its name and its link there (`ChannelContent.networkID` and
  /// `trustAnchor`). The store has it before later operations on the channel begin.
  case named(channel: ChannelID, networkID: String, trustAnchor: String)
  /// Readers find this edition of the channel at the relay, instead of the newest.
  case stray(channel: ChannelID, relay: RelayID, StrayEdition)
  /// A relay that had accepted the channel no longer serves it.
  case lost(channel: ChannelID, relay: RelayID, Trouble)
  /// A watched relay is reachable. `roundTrip` is the time that the connection took.
  case relayUp(RelayID, roundTrip: Duration)
  /// A watched relay is unreachable. It is reported again when the cause changes.
  case relayDown(RelayID, Trouble)
  /// A relay sent unusable messages, for example events without the form of its network. They are left out.
  case unreadable(RelayID, count: Int)
  /// The state of the network itself, regardless of its relays. It is reported when it is first known, and when it changes.
  case state(NetworkKind, NetworkState)
}
