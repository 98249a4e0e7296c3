internal import ControlAPI
internal import StrictJSON
internal import Varlink

/// The common part of the List methods: limit, order and cursor.
struct ListPage: Sendable {
  let limit: Int
  let isDescending: Bool
  /// The last id of the page before.
  let after: Int64?
  let filter: Filter

  static let limitDefault = 100
  static let limitMax = 1000

  /// - Throws: `InvalidFilter` of `interface`, or `InvalidParameter`.
  init(_ request: ListRequest, fields: Set<String>, interface: String) throws {
    func invalid(_ path: String, _ reason: String) -> VarlinkError {
      VarlinkError("\(interface).InvalidFilter", ["path": .string(path), "reason": .string(reason)])
    }
    limit = request.limit ?? Self.limitDefault
    guard (1...Self.limitMax).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
    switch request.sort ?? [] {
    case []: isDescending = false
    case let keys where keys.count == 1 && keys[0]["field"] == "id" && [1, -1].contains(keys[0]["direction"] ?? 1):
      isDescending = keys[0]["direction"] == -1
    default: throw invalid("sort", "only the field 'id' with direction 1 or -1 is supported")
    }
    if let cursor = request.cursor {
      let prefix = isDescending ? "d" : "a"
      guard cursor.hasPrefix(prefix), let id = Int64(cursor.dropFirst()) else {
        throw invalid("cursor", "it does not come from a list with the same order")
      }
      after = id
    } else {
      after = nil
    }
    do throws(Filter.Invalid) {
      filter = try Filter(request.filter, known: fields)
    } catch {
      throw invalid(error.path, error.reason)
    }
  }

  /// Answers a List call: one page, or with `more` page after page until there are no more.
  static func answer(
    _ call: VarlinkCall, _ stream: VarlinkStream, fields: Set<String>, interface: String,
    page: (ListPage) throws -> [String: JSONValue]
  ) async throws -> [String: JSONValue] {
    var request = try call.decode(ListRequest.self)
    while true {
      let reply = try page(try ListPage(request, fields: fields, interface: interface))
      guard call.mode == .more, let next = reply["nextCursor"]?.string else { return reply }
      try await stream.send(reply)
      request.cursor = next
    }
  }

  func cursor(after id: Int64) -> String { "\(isDescending ? "d" : "a")\(id)" }
}
