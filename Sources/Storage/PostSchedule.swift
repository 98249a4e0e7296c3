public import Channels

/// When a post is to be published, and what became of that.
public struct PostSchedule: Hashable, Sendable {
  /// By the time of day.
  public var publishAt: Timestamp
  /// For how long after `publishAt` it is still published, in whole seconds.
  public var tolerance: Int
  /// The request as JSON text, which becomes the post when it is due; `nil` once it was published.
  public var request: String?
  /// Why it was not published and will not be by itself, a sentence for people; `nil` if it was or will be.
  public var trouble: String?

  public init(publishAt: Timestamp, tolerance: Int, request: String?, trouble: String? = nil) {
    self.publishAt = publishAt
    self.tolerance = tolerance
    self.request = request
    self.trouble = trouble
  }

  /// What stands for the trouble of a draft, which waits for no one and nothing.
  private static let draftMark = ""

  /// The schedule of a draft, which is published when someone says so.
  /// - Parameter tolerance: for how long after that it is still published, in whole seconds.
  public init(draftOf request: String, at now: Timestamp, tolerance: Int) {
    self.init(publishAt: now, tolerance: tolerance, request: request, trouble: Self.draftMark)
  }

  /// Whether no one has said when to publish it.
  public var isDraft: Bool { trouble == Self.draftMark }

  /// The last moment at which it is published.
  public var deadline: Timestamp { publishAt + .seconds(tolerance) }
}

extension PostDocument {
  /// What stands in the place of a document that does not exist yet.
  public static let none = PostDocument(networkID: "", author: "", text: "")
}

extension PostRow {
  /// Whether it was given a form by its network. Before that it has no deliveries, and no one can refer to it.
  public var isPublished: Bool { schedule?.request == nil }

  /// Whether it is published once someone says so.
  public var isDraft: Bool { !isPublished && schedule?.isDraft == true && deletedAt == nil }

  /// Whether it is published when its time comes.
  public var isScheduled: Bool { !isPublished && schedule?.trouble == nil && deletedAt == nil }
}
