/// Names of things for a command, at least one and each once: an empty list would make another command of it.
public struct CoreIDList<Thing>: Hashable, Sendable {
  /// In the order given.
  public let ids: [CoreID<Thing>]

  /// nil when `ids` is empty. What stands there twice is taken once.
  public init?(_ ids: [CoreID<Thing>]) {
    var seen: Set<CoreID<Thing>> = []
    self.ids = ids.filter { seen.insert($0).inserted }
    if ids.isEmpty { return nil }
  }

  /// A list of one.
  public init(_ id: CoreID<Thing>) { ids = [id] }

  var text: String { ids.map { String($0.rawValue) }.joined(separator: ",") }
}
