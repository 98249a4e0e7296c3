internal import ControlAPI
internal import Coordinator
internal import Filters
internal import Foundation
internal import Storage
internal import StrictJSON
internal import Varlink

/// Errors of an interface that lists something.
protocol ListRefusal: InterfaceRefusal {
  static func invalidFilter(path: String, reason: String) -> Self
}

extension OperatorsRefusal: ListRefusal {}
extension ServersRefusal: ListRefusal {}
extension RelaysRefusal: ListRefusal {}
extension IdentitiesRefusal: ListRefusal {}
extension ChannelsRefusal: ListRefusal {}

/// One reply of a List call.
protocol ListPage: JSONWritable {
  var nextCursor: String? { get }
}

extension OperatorsListReply: ListPage {}
extension ServersListReply: ListPage {}
extension RelaysListReply: ListPage {}
extension IdentitiesListReply: ListPage {}
extension ChannelsListReply: ListPage {}
extension RelaysCountsReply: ListPage {}
extension RelaysFiguresReply: ListPage {}

/// A checked List request: filter, order, page size, and the end of the page before.
struct ListQuery: Sendable {
  let limit: Int
  let filter: Filter
  let order: ListOrder
  /// The sort values of the last object of the page before.
  let after: [JSONValue]?
  private let seal: @Sendable (String) -> String
  /// The part that a digest covers in addition to the values: the list and its order.
  private let place: String

  static let limitDefault = 100
  /// The page size that any client may ask for, even if the daemon gives smaller pages.
  static let limitMax = 1000

  /// - Parameters:
  ///   - isSortable: whether there is an order by a path of names.
  ///   - refusal: the error with which the interface refuses a call.
  /// - Throws: `invalidFilter`, or `InvalidParameter`.
  init<Refusal: ListRefusal>(
    _ request: ListRequest, fields: ListFields, isSortable: ([String]) -> Bool = { _ in true }, ties: [String] = ["id"],
    _ context: ControlContext, refusal: Refusal.Type
  ) throws {
    func invalid(_ path: String, _ reason: String) -> Refusal { .invalidFilter(path: path, reason: reason) }
    let interface = Refusal.interface
    let seal = context.coordinator.sealOfCursors
    self.seal = seal
    let limits = context.listLimits
    let wanted = request.limit ?? Self.limitDefault
    guard (1...Self.limitMax).contains(wanted) else { throw VarlinkError.invalidParameter("limit") }
    // A client that asks for more than this daemon gives gets that many, and a cursor.
    limit = min(wanted, limits.pageMax)
    do throws(Filter.Invalid) {
      filter = try Filter(request.filter, known: fields, limits: limits.filter)
      order = try ListOrder(request.sort ?? [], known: fields, isSortable: isSortable, ties: ties)
    } catch {
      throw invalid(error.path, error.reason)
    }
    place = interface + "\n" + order.text + "\n"
    guard let cursor = request.cursor else {
      after = nil
      return
    }
    // The digest comes first, then the values. The digest also covers the order.
    guard let data = Data(base64Encoded: cursor), let text = String(data: data, encoding: .utf8),
      let end = text.firstIndex(of: " "), let values = try? JSONParser.parse(String(text[text.index(after: end)...])).array,
      values.count == order.keys.count, seal(place + JSONValue.array(values).text) == text[..<end]
    else { throw invalid("cursor", "it does not come from a list with the same order") }
    after = values
  }

  /// The cursor of a page that ends with an object that is sorted by `values`.
  func cursor(after values: [JSONValue]) -> String {
    let text = JSONValue.array(values).text
    return Data("\(seal(place + text)) \(text)".utf8).base64EncodedString()
  }

  /// Whether the filter wants an object.
  func matches(_ object: some ListedObject) -> Bool { filter.matches { object[$0] } }

  /// The values by which an object is sorted.
  func values(of object: some ListedObject) -> [JSONValue] { order.values { object[$0] } }

  /// The page of `objects`, which may come in any order.
  func page<Object: ListedObject>(of objects: [Object]) -> (objects: [Object], next: String?) {
    let asksForDeleted = filter.fields.contains("deleted")
    var found = objects.filter { asksForDeleted || $0["deleted"] != .bool(true) }.filter(matches)
      .map { (values: values(of: $0), object: $0) }
    if let after { found.removeAll { !order.isBefore(after, $0.values) } }
    found.sort { order.isBefore($0.values, $1.values) }
    let page = found.prefix(limit)
    guard found.count > limit, let last = page.last else { return (page.map(\.object), nil) }
    return (page.map(\.object), cursor(after: last.values))
  }

  /// Answers a List call: one page, or with `more` all pages.
  static func answer<Reply: ListPage>(
    _ request: ListRequest, _ stream: ReplyStream<Reply>?, fields: ListFields,
    isSortable: ([String]) -> Bool = { _ in true }, ties: [String] = ["id"], _ context: ControlContext,
    refusal: (some ListRefusal).Type, page: (ListQuery) async throws -> Reply
  ) async throws -> Reply {
    var request = request
    while true {
      try Task.checkCancellation()
      let reply = try await page(
        try ListQuery(request, fields: fields, isSortable: isSortable, ties: ties, context, refusal: refusal))
      guard let stream, let next = reply.nextCursor else { return reply }
      try await stream.send(reply)
      request.cursor = next
    }
  }

  /// The same for objects that fit into memory.
  /// - Parameters:
  ///   - reply: makes a reply from the objects of a page, the place where the next one begins, and the revision.
  ///   - complete: adds to the objects of a page the parts that take too long to find out for all.
  ///   - read: the revision, and the objects at that revision or a later one.
  static func answer<Reply: ListPage, Object: ListedObject>(
    _ request: ListRequest, _ stream: ReplyStream<Reply>?, fields: ListFields, ties: [String] = ["id"],
    _ context: ControlContext, refusal: (some ListRefusal).Type, reply: ([Object], String?, Int64) -> Reply,
    complete: ([Object]) async -> [Object] = { $0 },
    read: () async throws -> (revision: Int64, objects: [Object])
  ) async throws -> Reply {
    try await answer(request, stream, fields: fields, ties: ties, context, refusal: refusal) { query in
      let (revision, objects) = try await read()
      let (page, next) = try await context.slowly { query.page(of: objects) }
      return reply(await complete(page), next, revision)
    }
  }
}
