public import Channels
public import Secrets

/// A relay protocol that Baton can run channels on. Another network is one more conformance and one line in `batond`.
///
/// A network gets operations through `perform` and answers through the report function given to `run`: one outcome per operation,
/// plus what happens by itself. It keeps no state that the store does not have, so performing an operation twice does no harm.
public protocol RelayNetwork: RelayAddressing {
  /// Whether a relay from which a channel was removed can get the channel again.
  var takesRemovedRelaysAgain: Bool { get }

  /// A new key pair, or the pair that belongs to `secret`.
  /// - Parameter secret: the secret key in the network's binary form; `nil` draws a new one.
  func makeIdentity(secret: Secret?) throws(NetworkFailure) -> IdentityKey

  /// Reads a secret key as people write it. The failure does not show a text that cannot be read.
  func secret(from text: String) throws(NetworkFailure) -> Secret

  /// Lets the network sign for `identity` from now on.
  func unlock(_ identity: IdentityID, key: IdentityKey)

  /// Forgets the key of `identity`.
  func lock(_ identity: IdentityID)

  /// Checks whether the network shows a channel with this profile, which is in normal form. It is called before anything is stored.
  /// - Throws: `ProfileRefusal` that says what to change.
  func check(_ profile: Profile) throws(ProfileRefusal)

  /// Creates the channel's immutable content, signed by its owner. It must be stored before it is sent anywhere. For a group, the
  /// relay is asked whether it offers groups.
  func prepare(_ draft: ChannelDraft) async throws(NetworkFailure) -> ChannelContent

  /// Creates a new edition of what readers see of a channel. It must be stored before it is sent anywhere.
  /// - Parameter content: the channel with its newest edition so far.
  /// - Throws: an error also when the edition would need a date so far ahead that relays do not take it (`ChannelDraft.stray`).
  func revise(_ content: ChannelContent, as draft: ChannelDraft) throws(NetworkFailure) -> ChannelEdition

  /// Reads a link to a channel that anyone may run, as people pass it on.
  /// - Returns: `nil` if it is not a link of this network.
  /// - Throws: an error if it is one, but does not name a channel that can be followed; it is unsupported if the network follows none.
  func channel(fromLink text: String) throws(NetworkFailure) -> ChannelReference?

  /// Reads what a relay shows of a channel that someone else runs.
  /// - Parameters:
  ///   - identity: on whose behalf the channel is followed.
  ///   - address: the normal address of the relay.
  /// - Throws: an error if the relay cannot be read, or does not show such a channel.
  func look(
    for channel: ChannelReference, as identity: IdentityID, at address: String
  ) async throws(NetworkFailure) -> FoundChannel

  /// Joins a channel that someone else runs, under a name that says nothing of our identities, unless it is joined already.
  /// - Parameter identity: on whose behalf the channel is followed.
  func join(_ channel: ChannelReference, as identity: IdentityID) async throws(NetworkFailure) -> FoundChannel

  /// Leaves a channel that someone else runs. One that is not joined counts as left.
  func leave(_ content: ChannelContent) async throws(NetworkFailure)

  /// What only members may do in a channel; empty where anyone may do everything, or the network does not say it like that.
  func access(to content: ChannelContent) -> Set<GroupAccess>

  /// The link that a reader opens to join, with the active relays as hints.
  func link(of content: ChannelContent, activeRelays: [String]) -> String

  /// Starts an operation and returns at once; the outcome comes by report.
  func perform(_ operation: RelayOperation)

  /// Gives a post its form, signed by the channel's author where the network signs a post once. It must be stored before it is sent
  /// anywhere.
  /// - Parameter relays: normal addresses of the relays where readers find the channel, best first.
  func compose(_ draft: PostDraft, in content: ChannelContent, at relays: [String]) throws(PostFailure) -> PostDocument

  /// Whether an edit changes a post in place (`revise`). Otherwise a post never changes, and another one takes its place.
  var editsInPlace: Bool { get }

  /// Gives the next edition of a post its form, where posts are edited in place. It must be stored before it is sent anywhere.
  /// - Parameters:
  ///   - post: the post as it is stored.
  ///   - publishedAt: when it was published.
  ///   - draft: the post as it shall be. What it answers stays as it is.
  func revise(_ post: PostDocument, publishedAt: Timestamp, as draft: PostDraft) throws(PostFailure) -> PostDocument

  /// Gives the request to delete a post its form. It must be stored before it is sent anywhere.
  /// - Parameter reason: what readers are told; may be empty.
  func composeDeletion(
    of post: PostDocument, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> PostDocument

  /// Gives a reaction to a post of ours its form, signed like a post. It must be stored before it is sent anywhere.
  func composeReaction(_ draft: ReactionDraft, in content: ChannelContent) throws(PostFailure) -> PostDocument

  /// Gives the wish that a post of ours be among the pinned posts of its channel its form. It is delivered and stored like a post, and
  /// to delete it is to take the pin away.
  /// - Parameter target: the post.
  func composePin(of target: PostReference, in content: ChannelContent) throws(PostFailure) -> PostDocument

  /// Gives the report of a message of others its form, signed like a post. It must be stored before it is sent anywhere.
  func composeReport(
    _ report: Report, of message: PostReference, in content: ChannelContent
  ) throws(PostFailure) -> PostDocument

  /// Gives the wish that someone belong to a channel, or not, its form. It is delivered and stored like a post; to delete it is to give it
  /// up.
  func composeMembership(_ change: MembershipChange, in content: ChannelContent) throws(PostFailure) -> PostDocument

  /// Gives the wish that a message of others be gone its form: a document that names the message, and the request that relays get. Both
  /// must be stored before anything is sent. It is delivered as the deletion of a post is.
  /// - Parameters:
  ///   - message: the message.
  ///   - createdAt: when it was written, by its author's account.
  ///   - reason: what relays and readers are told; may be empty.
  func composeRemoval(
    of message: PostReference, createdAt: Timestamp, in content: ChannelContent, reason: String
  ) throws(PostFailure) -> (message: PostDocument, deletion: PostDocument)

  /// How others refer to a post of ours; `nil` if the document is not one of this network.
  /// - Parameter relays: normal addresses of the relays where it was read back.
  func reference(to post: PostDocument, at relays: [String]) -> PostReference?

  /// The name of someone as messages have it (`ReadMessage.author`), from what people write, such as npub1… or nprofile1…; `nil` if it is
  /// not a name that can be told from any other text.
  func author(from text: String) -> String?

  /// How others refer to a message that was read in a channel and is no post of ours; `nil` if the name is not one of this network.
  /// - Parameters:
  ///   - author: who wrote it, in the network's notation.
  ///   - textBytes: the size of its text as JSON, in bytes.
  ///   - relays: normal addresses of the relays from which it was read.
  func reference(
    toMessage networkID: String, by author: String, textBytes: Int, in content: ChannelContent, at relays: [String]
  ) -> PostReference?

  /// The link that a reader opens to see the post, with the relays where it was read back as hints; `nil` if the network has none.
  func link(to post: PostDocument, at relays: [String]) -> String?

  /// What of a document must stay so that the post can be named, compared and deleted once it is forgotten here. The methods above and
  /// below take it in place of the document's text; it holds nothing that the author wrote.
  /// - Returns: `nil` if nothing can be left out, so that posts of this network are never forgotten.
  func remnant(of post: PostDocument) -> String?

  /// Why posts of a channel are never forgotten, the rest of a sentence for people; `nil` if they are.
  func whyNotForgotten(in content: ChannelContent) -> String?

  /// What whoever publishes should know of a post of ours, in whole sentences for people; empty when there is nothing.
  /// - Parameter publishedAt: when it was published.
  func notes(on post: PostDocument, publishedAt: Timestamp) -> [String]

  /// What will happen to a post at a relay if it is edited or deleted now. It is asked for posts of ours only.
  func forecast(of place: PostPlace) -> PostForecast

  /// Starts an operation for a post and returns at once; outcomes come by report.
  func deliver(_ operation: DeliveryOperation)

  /// Answers `handedOver`.
  func release(_ turn: DeliveryTurn)

  /// Starts to find out what a relay holds of a channel's own posts and returns at once; the outcome comes by report. A network that
  /// cannot list them reports nothing.
  func compare(_ comparison: PostComparison)

  /// Begins to read what is said in a channel, or goes on with these relays, and returns at once; what is read comes by report. The
  /// connection is kept, lost ones are opened again, and what was missed meanwhile is asked for. Calling it again with the same channel
  /// does nothing.
  func follow(_ channel: FollowedChannel)

  /// Reads a channel no more; what was read before may still come.
  func unfollow(_ channel: ChannelID)

  /// A batch was stored, or will never be: the network may read on.
  func took(_ batch: MessageBatch.ID)

  /// Starts to ask all relays of a followed channel for everything within its window. Each of them reports `synced`.
  func sync(_ channel: ChannelID)
  /// Answers `NetworkReport.served`: the stored messages of the channel, from all relays, apart from those that were served.
  func lacks(_ missing: StoredNames, in inventory: MessageInventory)

  /// Starts to ask all relays of a followed channel for messages with certain words. Each of them reports `searched`. A network whose
  /// relays do not search reports nothing.
  func search(_ search: RelaySearch)

  /// The date that a post has on its network; `nil` if the document is not one of this network.
  func date(of post: PostDocument) -> Timestamp?

  /// Reads a post of the channel's author, or the request to delete one, that was signed before. Anything may be in the text, so all of it
  /// is verified.
  func signed(_ text: String, in content: ChannelContent) throws(PostFailure) -> SignedPost

  /// What was signed, on one line, as other programs of the network read and verify it; `nil` if the document is not that.
  func signedText(of document: PostDocument) -> String?

  /// Lets a client upload a file that a post of the channel will show, in the name of the channel's author.
  /// - Parameter sha256: 64 lower-case hexadecimal digits.
  func authorizeUpload(
    sha256: String, sizeBytes: Int64, in content: ChannelContent
  ) throws(PostFailure) -> UploadAuthorization

  /// Prevents everything that still waits for `channel` at `relay` from being sent; its outcome may be anything final.
  func cancel(_ channel: ChannelID, at relay: RelayID)

  /// Returns once nothing more is sent for the channels in these slots, posts included: another daemon will act for them. What a relay was
  /// sent before may still arrive there; no one waits for its outcome.
  func abandon(_ slots: SlotSet) async

  /// The channels in these slots are this daemon's from now on. What was reported of them before is not known.
  func gained(_ slots: SlotSet)

  /// Keeps a connection to these relays and reports when one goes up or down; replaces the earlier set.
  func watch(_ relays: [RelayID: String])

  /// Tests a relay step by step as a reader and publisher would. Ending the iteration ends the test.
  /// - Parameters:
  ///   - identity: the identity whose key may sign probes.
  ///   - depth: how far the test goes.
  func test(address: RelayAddress, identity: IdentityID, depth: ProbeDepth) -> AsyncStream<ProbeStep>

  /// Serves until cancelled. Reports may come from any thread; those about one relay keep their order. Reports from
  /// before this call are kept for it.
  func run(report: @escaping @Sendable (NetworkReport) -> Void) async
}

extension RelayNetwork {
  /// Most networks are asked about channels that are taken up.
  public func gained(_ slots: SlotSet) {}

  /// By default a relay is told to delete the channel, and does not take it again.
  public var takesRemovedRelaysAgain: Bool { false }

  /// Networks without groups have nothing of this.
  public func access(to content: ChannelContent) -> Set<GroupAccess> { [] }

  /// Most networks show whatever Baton takes.
  public func check(_ profile: Profile) throws(ProfileRefusal) {}
}

/// The key pair of an identity. The secret never appears in descriptions.
public struct IdentityKey: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
  /// The name under which others know the identity, in the network's notation: on Nostr its public key; where the network keeps
  /// the keys, words that say whose they are.
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
  /// What only members of a group may do. A new edition keeps what the group was created with.
  public let access: Set<GroupAccess>
  public let identity: IdentityID
  public let profile: Profile
  /// Normal addresses of the relays that readers are given.
  public let relays: [String]
  /// The key that must sign; `nil` for the channel's own key, unless a relay takes only what known authors sign.
  public let key: ChannelKey?
  /// The capabilities that tests found in these relays, by address: `PeerDescription.capabilities`. Those that were not tested are absent.
  public let capabilities: [String: [String]]
  /// A date that a new edition must follow, in addition to that of the newest one.
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
  /// The network's name for the channel (nostr: the id of its kind 40 event, or of the group; simplex: the group's number in the core, or a
  /// name of ours until there is one).
  public let networkID: String
  /// The key whose signature readers check, in the network's notation: the owner's public key; for a group its relay's. On simplex: the
  /// channel's link, which holds that key; empty until there is one.
  public let trustAnchor: String
  /// The document that every relay gets, byte for byte; for groups it is signed again each time.
  public let document: String
  /// Number of the newest edition; 1 is `document`.
  public let edition: Int
  /// The newest edition; `nil` while that is the first, which is `document`.
  public let newestEdition: ChannelEdition?
  /// The channel's own key follows from this and the identity's secret; `nil` if the identity's key signs or the network keeps the keys.
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
  /// - edition: the newest one that a reader finds; 0 if there is none, though the channel is there.
  /// - others: what a reader finds of the author's other channels if that is not the newest.
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
  /// - form: the form that the post has from now on, if the network gave it another: where each attempt is signed again, or the network
  ///   names a post only once it has it. It is stored with the outcome; for `handedOver`, before the post leaves.
  case delivery(post: PostID, relay: RelayID, number: Int, DeliveryOutcome, form: PostDocument? = nil)
  /// The outcome of a comparison.
  case compared(channel: ChannelID, relay: RelayID, number: Int, PostComparisonOutcome)
  /// What was read in followed channels.
  case read(MessageBatch)
  /// A relay was asked for all messages of a channel, and these are the ones that it serves. It comes once all of them were taken, and the
  /// network waits for `RelayNetwork.lacks` before it reads on there.
  case served(MessageInventory)
  /// A relay was asked for what it holds of a channel's messages, whoever wanted that: it comes after the reports of what was read, once
  /// all of that was taken.
  case synced(channel: ChannelID, relay: RelayID, MessageSync)
  /// A relay was asked for messages with certain words: it comes after the reports of what was read, once all of that was taken.
  /// - number: that of the question.
  case searched(channel: ChannelID, relay: RelayID, number: Int, RelaySearchOutcome)
  /// The network itself has created the channel, and this is its name and its link there from now on (`ChannelContent.networkID` and
  /// `trustAnchor`). The store has it before later operations on the channel begin.
  case named(channel: ChannelID, networkID: String, trustAnchor: String)
  /// Readers find this edition of the channel at the relay, instead of the newest.
  case stray(channel: ChannelID, relay: RelayID, StrayEdition)
  /// A relay that had taken the channel no longer serves it.
  case lost(channel: ChannelID, relay: RelayID, Trouble)
  /// A watched relay can be reached; `roundTrip` is how long the connection took.
  case relayUp(RelayID, roundTrip: Duration)
  /// A watched relay cannot be reached; it is reported again when the cause changes.
  case relayDown(RelayID, Trouble)
  /// A relay sent messages that cannot be used, for example events that are not of the form of its network. They are left out.
  case unreadable(RelayID, count: Int)
  /// The state of the network itself, whatever its relays do. It is reported when it is first known, and when it changes.
  case state(NetworkKind, NetworkState)
}
