public import Channels

/// The content of one commit: parts that each succeed or fail independently.
public struct CommitRequest: Hashable, Sendable {
  /// The parts in the order in which they are written. An object comes before the objects that refer to it.
  public var parts: [CommitPart]

  public init(_ parts: [CommitPart]) { self.parts = parts }

  /// A request of one part.
  public init(_ mutations: [StoreMutation]) { parts = [CommitPart(mutations)] }

  public var isEmpty: Bool { parts.allSatisfy(\.mutations.isEmpty) }

  /// All writes in their order.
  public var mutations: [StoreMutation] { parts.flatMap(\.mutations) }
}

/// Writes that become durable together or not at all, most often the writes of one object.
public struct CommitPart: Hashable, Sendable {
  /// The stored revision that the part requires.
  public struct Expectation: Hashable, Sendable {
    public var channel: ChannelID
    /// The revision at which the channel was read.
    public var revision: Int64

    public init(_ channel: ChannelID, at revision: Int64) {
      self.channel = channel
      self.revision = revision
    }
  }

  /// If the channel has another revision, someone else has changed it, and the part is a conflict. `nil` if nothing is expected.
  public var expected: Expectation?
  public var mutations: [StoreMutation]

  public init(_ mutations: [StoreMutation], expected: Expectation? = nil) {
    self.expected = expected
    self.mutations = mutations
  }
}

/// Revisions that a commit gives. A row in a `CommitRequest` that gets a new revision contains its place in the commit instead, as a
/// negative number: -1 for the first, -2 for the second. All parts count together, rows of posts apart from all others. Other rows keep
/// their revision.
public enum PendingRevision {
  /// A revision whose place is not known yet.
  public static let unplaced = Int64.min

  /// - Parameter place: 1 for the first revision of a commit.
  public static func at(_ place: Int) -> Int64 { -Int64(place) }

  /// The revision of a row once the commit is durable.
  /// - Parameter base: the receipt's.
  public static func settled(_ revision: Int64, base: Int64) -> Int64 { revision < 0 ? base - revision : revision }

  /// The receipt's base, from one revision that the commit gave.
  /// - Parameter pending: the row's revision in the request.
  public static func base(_ revision: Int64, of pending: Int64) -> Int64 { revision + pending }
}
