// Written by `make generate` from org.batond.Posts.varlink.

/// A picture that stands for a word of the text.
public struct Emoji: Codable, Hashable, Sendable {
  /// The word, which stands in the text as :shortcode: and has letters of ASCII, digits and _ only, at most 50.
  public var shortcode: String
  /// The http or https address of the picture, at most 1,000 bytes.
  public var url: String

  public init(
    shortcode: String,
    url: String
  ) {
    self.shortcode = shortcode
    self.url = url
  }
}

/// A file that a post shows. Readers fetch it from its address, or on SimpleX from file servers.
public struct Attachment: Codable, Hashable, Sendable {
  /// The http or https address, at most 1,000 bytes. It is added to the text unless it is there. On SimpleX one attachment may be a file of
  /// the machine on which the chat core runs, as file:///absolute/path with escapes (RFC 3986) only where they are needed and no other field.
  /// It must be below the folder of the option simplex.files; the core reads and uploads it after the answer, so it has to stay there until
  /// readers find the post.
  public var url: String
  /// The SHA-256 of the file, 64 hexadecimal digits.
  public var sha256: String?
  /// The type, for example image/jpeg.
  public var mimeType: String?
  /// The size of the file in bytes.
  public var sizeBytes: Int?
  /// The width of a picture or film in pixels; only together with height.
  public var width: Int?
  /// The height of a picture or film in pixels; only together with width.
  public var height: Int?
  /// What the file shows, for those who cannot see it, at most 1,000 bytes.
  public var altText: String?
  /// A blurred preview, in the notation of blurha.sh.
  public var blurhash: String?
  /// Other addresses of the same file, best first, at most 4.
  public var fallbacks: [String]?

  public init(
    url: String,
    sha256: String? = nil,
    mimeType: String? = nil,
    sizeBytes: Int? = nil,
    width: Int? = nil,
    height: Int? = nil,
    altText: String? = nil,
    blurhash: String? = nil,
    fallbacks: [String]? = nil
  ) {
    self.url = url
    self.sha256 = sha256
    self.mimeType = mimeType
    self.sizeBytes = sizeBytes
    self.width = width
    self.height = height
    self.altText = altText
    self.blurhash = blurhash
    self.fallbacks = fallbacks
  }
}

/// Another person's message that a post is about, or a person.
public struct AboutMessage: Codable, Hashable, Sendable {
  /// The act.
  public var act: String
  /// What the network calls the message, see org.batond.Messages; or who it is, in the network's notation.
  public var networkId: String
  /// Who wrote it, or who it is.
  public var author: String

  public init(
    act: String,
    networkId: String,
    author: String
  ) {
    self.act = act
    self.networkId = networkId
    self.author = author
  }
}

/// A post on one relay.
public struct PostRelay: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay. A new name comes with an event of the relay, not of its posts.
  public var relayName: String
  /// The status of the post there.
  public var status: String
  /// Cause that holds it up, as a stable word. While the network as a whole is unusable and nothing else went wrong, that is the cause. This
  /// is not live, see Daemon.Status.
  public var cause: String?
  /// The cause as text for people, in the relay's words where the relay gave any.
  public var detail: String?
  /// Number of the present attempt; 0 when there is none.
  public var attempt: Int
  /// Time since which it has this status, RFC 3339 in UTC.
  public var since: String
  /// Start of the next attempt, RFC 3339 in UTC. Absent while an attempt is under way, and if none is planned.
  public var nextAttemptAt: String?
  /// Whether a reader found the post there the last time.
  public var shown: Bool
  /// Whether the channel has left the relay since. The relay then counts no more.
  public var departed: Bool

  public init(
    relayId: Int64,
    relayName: String,
    status: String,
    cause: String? = nil,
    detail: String? = nil,
    attempt: Int,
    since: String,
    nextAttemptAt: String? = nil,
    shown: Bool,
    departed: Bool
  ) {
    self.relayId = relayId
    self.relayName = relayName
    self.status = status
    self.cause = cause
    self.detail = detail
    self.attempt = attempt
    self.since = since
    self.nextAttemptAt = nextAttemptAt
    self.shown = shown
    self.departed = departed
  }
}

/// A post.
public struct Post: Codable, Hashable, Sendable {
  /// Identifier, never reused; later posts have higher ones.
  public var id: Int64
  /// Identifier of its channel.
  public var channelId: Int64
  /// Name of its channel. A new name comes with an event of the channel, not of its posts.
  public var channelName: String
  /// The protocol that its channel lives on.
  public var network: String
  /// What the network calls it: on Nostr the id of its event; on SimpleX its number in the core and the id that all relays have, such as
  /// 17/c2hhcmVk, and while no one knows whether the core has sent it, after- and the number of the item before. Empty while nothing left.
  /// In a group on Nostr each attempt is another event: there it may change until a reader finds the post. Pins have none, nor have reactions
  /// on SimpleX.
  public var networkId: String
  /// The public name of its author, in the network's notation. Empty before it is published.
  public var author: String
  /// The text as it was asked for.
  public var text: String
  /// The post that it answers.
  public var replyTo: Int?
  /// The post that this one takes the place of, as an edit of it. That one is deleted once readers find this one. If this one goes nowhere,
  /// that one stays, and this is absent.
  public var replaces: Int?
  /// The post that takes the place of this one, because this one was edited; absent if that goes nowhere and this one stays.
  public var replacedBy: Int?
  /// The state as a whole.
  public var phase: String
  /// The same in plain words, for example "Post is on 3 of 4 relays. 1 is on the way."
  public var summary: String
  /// How many relays it goes to; those that the channel has left are not counted.
  public var relayCount: Int
  /// On how many of them readers find it.
  public var shownCount: Int
  /// What a reader opens to see it; absent while readers find it nowhere, and after its deletion.
  public var link: String?
  /// The relays that it goes to or went to, by identifier.
  public var relays: [PostRelay]
  /// When it was published, or before that when it was written, RFC 3339 in UTC.
  public var createdAt: String
  /// When its deletion was requested, RFC 3339 in UTC; absent otherwise.
  public var deletedAt: String?
  /// Revision of its latest change. Posts have revisions of their own, which have nothing to do with those of channels.
  public var revision: Int64
  /// When it is or was to be published, RFC 3339 in UTC; absent if that was at once.
  public var publishAt: String?
  /// Why it expired, a sentence for people; absent unless it has.
  public var scheduleTrouble: String?
  /// The post that it is a reaction to; its text is the reaction then, or 'pin' if it pins that post.
  public var reactionTo: Int?
  /// When its text was given up, because its channel keeps posts only so long, RFC 3339 in UTC; absent otherwise. Relays go on showing
  /// it. The text is empty; the post can be deleted, and neither edited nor tried again.
  public var forgottenAt: String?
  /// What whoever publishes should know of the post, for people, such as until when readers can fetch its file; absent when there is
  /// nothing. It is as of the time of the reply, and no change of the post when it becomes something else.
  public var notes: [String]?
  /// The message of others that it answers, is a reaction to, removes or reports; absent otherwise. The text of a reaction is the reaction, and that of a report its
  /// category, with ': ' and words behind it if there are any. That of a membership is member with roles behind ': ', or removed with a reason.
  public var about: AboutMessage?

  public init(
    id: Int64,
    channelId: Int64,
    channelName: String,
    network: String,
    networkId: String,
    author: String,
    text: String,
    replyTo: Int? = nil,
    replaces: Int? = nil,
    replacedBy: Int? = nil,
    phase: String,
    summary: String,
    relayCount: Int,
    shownCount: Int,
    link: String? = nil,
    relays: [PostRelay],
    createdAt: String,
    deletedAt: String? = nil,
    revision: Int64,
    publishAt: String? = nil,
    scheduleTrouble: String? = nil,
    reactionTo: Int? = nil,
    forgottenAt: String? = nil,
    notes: [String]? = nil,
    about: AboutMessage? = nil
  ) {
    self.id = id
    self.channelId = channelId
    self.channelName = channelName
    self.network = network
    self.networkId = networkId
    self.author = author
    self.text = text
    self.replyTo = replyTo
    self.replaces = replaces
    self.replacedBy = replacedBy
    self.phase = phase
    self.summary = summary
    self.relayCount = relayCount
    self.shownCount = shownCount
    self.link = link
    self.relays = relays
    self.createdAt = createdAt
    self.deletedAt = deletedAt
    self.revision = revision
    self.publishAt = publishAt
    self.scheduleTrouble = scheduleTrouble
    self.reactionTo = reactionTo
    self.forgottenAt = forgottenAt
    self.notes = notes
    self.about = about
  }
}

/// For how long the posts of a channel are kept. A post that is beyond one of the limits is forgotten here, and stays on relays.
public struct Retention: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// For how many days posts are kept after their creation; absent for no limit.
  public var keepDays: Int?
  /// How many of the newest posts are kept, those included that were deleted, are not published yet or are reactions; absent for no limit.
  public var keepCount: Int?

  public init(
    channelId: Int64,
    keepDays: Int? = nil,
    keepCount: Int? = nil
  ) {
    self.channelId = channelId
    self.keepDays = keepDays
    self.keepCount = keepCount
  }
}

/// What will happen to a post on one relay if it is edited or deleted now. It is a forecast: only the relay decides.
public struct PostAction: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Whether an edit reaches the relay.
  public var canEdit: Bool
  /// Whether readers will presumably not find the post there any more after its deletion. Where that is false, the relay is asked all
  /// the same, unless the channel has left it.
  public var canDelete: Bool
  /// What an edit means there, or why it is not possible, for people.
  public var editNote: String?
  /// What a deletion means there, or why it may not succeed, for people; absent when nothing special is known.
  public var deleteNote: String?
  /// Until when this holds, RFC 3339 in UTC; absent where the network sets no time.
  public var until: String?

  public init(
    relayId: Int64,
    canEdit: Bool,
    canDelete: Bool,
    editNote: String? = nil,
    deleteNote: String? = nil,
    until: String? = nil
  ) {
    self.relayId = relayId
    self.canEdit = canEdit
    self.canDelete = canDelete
    self.editNote = editNote
    self.deleteNote = deleteNote
    self.until = until
  }
}

/// One line of a post's history. Equal statuses record another attempt.
public struct PostTransition: Codable, Hashable, Sendable {
  /// Revision of the change, among those of posts.
  public var revision: Int64
  /// Identifier of the relay.
  public var relayId: Int64
  /// Name of the relay.
  public var relayName: String
  /// Status before.
  public var from: String
  /// Status after.
  public var to: String
  /// Cause, as a stable word.
  public var cause: String?
  /// Cause, as text for people.
  public var detail: String
  /// Number of the attempt.
  public var attempt: Int
  /// Time of the change, RFC 3339 in UTC.
  public var time: String

  public init(
    revision: Int64,
    relayId: Int64,
    relayName: String,
    from: String,
    to: String,
    cause: String? = nil,
    detail: String,
    attempt: Int,
    time: String
  ) {
    self.revision = revision
    self.relayId = relayId
    self.relayName = relayName
    self.from = from
    self.to = to
    self.cause = cause
    self.detail = detail
    self.attempt = attempt
    self.time = time
  }
}

/// A post in an export.
public struct ExportedPost: Codable, Hashable, Sendable {
  /// Identifier of the post.
  public var id: Int64
  /// What was signed, as one line; on Nostr an event as JSON. Of a deleted post it is the request to delete it. Absent if there is an
  /// omission.
  public var document: String?
  /// Whether the document is a request to delete the post.
  public var deletion: Bool
  /// Why there is no document.
  public var omission: String?

  public init(
    id: Int64,
    document: String? = nil,
    deletion: Bool,
    omission: String? = nil
  ) {
    self.id = id
    self.document = document
    self.deletion = deletion
    self.omission = omission
  }
}
