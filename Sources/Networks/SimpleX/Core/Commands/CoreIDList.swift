/// The ids of objects for a command, at least one and each once: an empty list would turn it into another command.
public struct CoreIDList<Thing>: Hashable, Sendable {
  /// The ids in the order given.
  public let ids: [CoreID<Thing>]

  /// The list, with each id once, or `nil` if `ids` is empty.
  public init?(_ ids: [CoreID<Thing>]) {
    var seen: Set<CoreID<Thing>> = []
    self.ids = ids.filter { seen.insert($0).inserted }
    if ids.isEmpty { return nil }
  }

  /// A list of one.
  public init(_ id: CoreID<Thing>) { ids = [id] }

  var text: String { ids.map { String($0.rawValue) }.joined(separator: ",") }
}
