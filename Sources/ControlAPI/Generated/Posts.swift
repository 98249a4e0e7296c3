// Written by `make generate` from org.batond.Posts.varlink.

/// A picture that stands for a word of the text.
public struct Emoji: Codable, Hashable, Sendable {
  /// The word, at most 50 ASCII letters, digits and _. In the text it is written :shortcode:.
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
  /// The http or https address, at most 1,000 bytes, which Baton adds to the text if it is missing there. On SimpleX one attachment may be
  /// a file of the chat core's machine: file:///absolute/path, below the folder of the option simplex.files, with escapes (RFC 3986) only
  /// where needed, and without other fields. The core uploads it after the reply: keep it until readers find the post.
  public var url: String
  /// SHA-256 of the file, 64 hexadecimal digits.
  public var sha256: String?
  /// Media type, for example image/jpeg.
  public var mimeType: String?
  /// Size of the file in bytes.
  public var sizeBytes: Int?
  /// Width of a picture or film in pixels. Only together with height.
  public var width: Int?
  /// Height of a picture or film in pixels. Only together with width.
  public var height: Int?
  /// Description of the file for people who cannot see it, at most 1,000 bytes.
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

/// Another person's message that a post is about, or for a membership the person.
public struct AboutMessage: Codable, Hashable, Sendable {
  /// The act.
  public var act: String
  /// The network's identifier for the message, see org.batond.Messages, or the person in the network's notation.
  public var networkId: String
  /// The message's author, or the person.
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
  /// Name of the relay. Renaming a relay causes an event of the relay, not of its posts.
  public var relayName: String
  /// Status of the post on this relay.
  public var status: String
  /// Cause that holds it up, as a stable word. If nothing else is wrong while the network as a whole is unusable, that is the cause. Not
  /// live, see Daemon.Status.
  public var cause: String?
  /// The cause as text for people, in the relay's words where the relay gave any.
  public var detail: String?
  /// Number of the current attempt, 0 if there is none.
  public var attempt: Int
  /// Time since which it has this status, RFC 3339 in UTC.
  public var since: String
  /// Start of the next attempt, RFC 3339 in UTC. Absent while an attempt is under way, and if none is planned.
  public var nextAttemptAt: String?
  /// Whether a reader found the post on the relay the last time.
  public var shown: Bool
  /// Whether the channel has left the relay, which then no longer counts.
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
  /// Identifier, never reused. Later posts have higher identifiers.
  public var id: Int64
  /// Identifier of its channel.
  public var channelId: Int64
  /// Name of its channel. Renaming a channel causes an event of the channel, not of its posts.
  public var channelName: String
  /// The protocol of its channel.
  public var network: String
  /// The network's identifier for the post, empty before it has one. On Nostr the id of its event. In groups on Nostr each attempt is a
  /// different event, so it may change until a reader finds the post. On SimpleX its number in the core and the id that all relays have,
  /// such as 17/c2hhcmVk. While it is unknown whether the core sent it, after- and the number of the previous item. Always empty for pins,
  /// and for reactions on SimpleX.
  public var networkId: String
  /// Public name of its author, in the network's notation. Empty before publication.
  public var author: String
  /// The text as requested.
  public var text: String
  /// Identifier of the post that it answers.
  public var replyTo: Int?
  /// Identifier of the post that it replaces as an edit, and that is deleted once readers find this one. Absent if this one reaches no
  /// relay, and that one is kept.
  public var replaces: Int?
  /// Identifier of the post that replaces this one as an edit. Absent if that post reaches no relay.
  public var replacedBy: Int?
  /// The state as a whole.
  public var phase: String
  /// The state in plain words, for example "Post is on 3 of 4 relays. 1 is on the way."
  public var summary: String
  /// Number of relays to which it goes, without relays that the channel has left.
  public var relayCount: Int
  /// Number of these relays on which readers find it.
  public var shownCount: Int
  /// Link that a reader opens to see it. Absent while readers find it on no relay, or if it was deleted.
  public var link: String?
  /// All relays to which it goes or went, by identifier.
  public var relays: [PostRelay]
  /// Time of publication, or of writing if it is unpublished, RFC 3339 in UTC.
  public var createdAt: String
  /// Time of the request to delete it, RFC 3339 in UTC. Absent before such a request.
  public var deletedAt: String?
  /// Revision of its latest change. Posts and channels have separate revisions.
  public var revision: Int64
  /// Time at which it is or was to be published, RFC 3339 in UTC. Absent for drafts, and if it was published immediately.
  public var publishAt: String?
  /// The reason why it expired, as a sentence for people. Absent for other posts.
  public var scheduleTrouble: String?
  /// Identifier of the post to which it is a reaction. Its text is then the reaction, or 'pin' if it pins that post.
  public var reactionTo: Int?
  /// Time at which its text was forgotten because of its channel's retention, RFC 3339 in UTC. The text is empty, but relays still show it.
  /// The post can be deleted, but not edited or retried.
  public var forgottenAt: String?
  /// Notes for the publisher, such as the time until which readers can fetch its file. Absent if there are none. Not live: it changes
  /// without an event.
  public var notes: [String]?
  /// Another person's message that it answers, reacts to, removes or reports, or the person of a membership. The text is then the reaction,
  /// the report's category, or for a membership member, removed, banned or unbanned. Words, roles or a reason follow after ': '.
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

/// The time for which a channel keeps its posts. A post beyond one of the limits is forgotten in Baton, but not on relays.
public struct Retention: Codable, Hashable, Sendable {
  /// Identifier of the channel.
  public var channelId: Int64
  /// Number of days for which posts are kept after their creation, absent for no limit.
  public var keepDays: Int?
  /// Number of newest posts that are kept, absent for no limit. Deleted posts, unpublished posts and reactions count.
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

/// Forecast of an edit or a deletion of a post on one relay now. The relay decides.
public struct PostAction: Codable, Hashable, Sendable {
  /// Identifier of the relay.
  public var relayId: Int64
  /// Whether an edit reaches the relay.
  public var canEdit: Bool
  /// Whether readers will probably not find the post there after its deletion. Otherwise the relay is asked anyway, unless the channel has
  /// left it.
  public var canDelete: Bool
  /// Note on the edit, or the reason why it is impossible, for people.
  public var editNote: String?
  /// Note on the deletion, or the reason why it may fail, for people. Absent if nothing special is known.
  public var deleteNote: String?
  /// Time until which this is valid, RFC 3339 in UTC. Absent if the network sets no limit.
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
  /// Revision of the change, in the sequence of posts.
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
  /// The signed document on one line, on Nostr an event as JSON. For a deleted post, the request to delete it. Absent if the post is
  /// omitted.
  public var document: String?
  /// Whether the document is a request to delete the post.
  public var deletion: Bool
  /// The reason why the document is absent.
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
