/// Cells that relays, servers and operators share.
enum Cell {
  static func latency(_ milliseconds: Int?) -> String { milliseconds.map { "\($0) ms" } ?? "" }

  /// Returns the time at which the latest test ended, and a mark if it failed.
  static func test(_ passed: Bool?, _ time: String?, _ times: Times) -> String {
    guard let passed else { return "never" }
    return passed ? times.text(time) : "failed \(times.text(time))"
  }

  static func testColor(_ passed: Bool?) -> Terminal.Color? { passed == false ? .red : nil }

  /// The name of the operator with this id.
  /// - Parameter names: the names of existing operators. A removed one is missing.
  static func owner(_ id: Int64?, _ names: [Int64: String]) -> String { id.map { names[$0] ?? "id:\($0)" } ?? "own" }

  /// The name of the operator with this id, for the page of one object.
  static func ownerAndID(_ id: Int64?, _ names: [Int64: String]) -> String {
    guard let id else { return "your own" }
    return names[id].map { "\($0) (operator \(id))" } ?? "\(id)"
  }

  static func file(_ isUndeclared: Bool, _ name: String?) -> String { isUndeclared ? "no longer" : name ?? "" }
}
