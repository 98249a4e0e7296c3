public import Channels

/// When a post is to be published, and what happened to that.
public struct PostSchedule: Hashable, Sendable {
  /// By the time of day.
  public var publishAt: Timestamp
  /// For how long after `publishAt` it is still published, in whole seconds.
  public var tolerance: Int
  /// The request as JSON text, which becomes the post when it is due. `nil` once it was published.
  public var request: String?
  /// Why it was not published, and needs help to be published, in a sentence for people. `nil` if it was or will be published.
  public var trouble: String?

  public init(publishAt: Timestamp, tolerance: Int, request: String?, trouble: String? = nil) {
    self.publishAt = publishAt
    self.tolerance = tolerance
    self.request = request
    self.trouble = trouble
  }

  /// The `trouble` that marks a draft, which waits for no one and nothing.
  private static let draftMark = ""

  /// The schedule of a draft, which is published on demand.
  /// - Parameter tolerance: for how long after that demand it is still published, in whole seconds.
  public init(draftOf request: String, at now: Timestamp, tolerance: Int) {
    self.init(publishAt: now, tolerance: tolerance, request: request, trouble: Self.draftMark)
  }

  /// Whether it waits for someone to publish it.
  public var isDraft: Bool { trouble == Self.draftMark }

  /// The last moment at which it is published.
  public var deadline: Timestamp { publishAt + .seconds(tolerance) }
}

extension PostDocument {
  /// The placeholder for a document that does not exist yet.
  public static let none = PostDocument(networkID: "", author: "", text: "")
}

extension PostRow {
  /// Whether it was given a form by its network. Before that it has no deliveries, and no one can refer to it.
  public var isPublished: Bool { schedule?.request == nil }

  /// Whether it waits to be published on demand.
  public var isDraft: Bool { !isPublished && schedule?.isDraft == true && deletedAt == nil }

  /// Whether it is published when its time comes.
  public var isScheduled: Bool { !isPublished && schedule?.trouble == nil && deletedAt == nil }
}
