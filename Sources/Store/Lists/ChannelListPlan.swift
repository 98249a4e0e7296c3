internal import Filters
internal import GRDB
internal import Storage
internal import StrictJSON

/// The statements that find the channels of a part of a list. The results of the first one come first. Together they find as many as are
/// wanted.
struct ChannelListPlan {
  /// The statement without its last argument, which is how many rows it may give: the terms of the order, and the id.
  struct Statement {
    let sql: String
    let arguments: [DatabaseValue]
  }

  let statements: [Statement]
  let seek: ChannelSeek

  /// An index whose order is another one is used if at most this many channels must be sorted, a small part of all channels.
  static let fewMax = 5_000
  /// The number of narrowings that are compared with one another.
  private static let comparedMax = 4

  /// - Parameters:
  ///   - after: the sort values of the last channel of the previous part.
  ///   - indexes: the indexes on custom data, by the path of their field.
  ///   - fewMax: how many channels are few enough to be sorted.
  /// - Throws: `StoreError` when the order has a key without a column.
  init(
    matching filter: Filter, in order: ListOrder, withDeleted: Bool, after: [JSONValue]?, indexes: [[String]: KeyIndex],
    fewMax: Int = Self.fewMax, _ db: Database
  ) throws {
    var narrowings = KeyNarrowing.all(of: filter, indexes)
    // A cursor is valid for its order, not for its filter: this filter may leave its channel out.
    let places = zip(order.keys.map { indexes[$0.path] }, after ?? [])
    if !places.allSatisfy({ index, value in narrowings.allSatisfy { $0.holds(of: value, at: index) } }) { narrowings = [] }
    let constants = narrowings.reduce(into: Set<String>()) { $0.formUnion($1.constants) }
    guard let seek = ChannelSeek(order, indexes: indexes, constants: constants) else {
      throw StoreError(.inputOutput, "channels have no order \(order.text)")
    }
    let best = try Self.best(of: narrowings, for: seek.loose.map(\.sql), fewMax, db)
    var writer = SQLiteConditions { sql, arguments in
      let count = try? Int.fetchOne(
        db, sql: "SELECT count(*) FROM (SELECT 1 FROM channel_relays WHERE \(sql) LIMIT ?)",
        arguments: StatementArguments(arguments + [(fewMax + 1).databaseValue]))
      // If it cannot be counted, reading the list fails too, and reports the reason.
      return count.map { $0 <= fewMax } ?? true
    }
    let condition = ChannelCondition(filter, &writer)
    // SQLite does not know that there are few.
    let index = best?.isFew == true ? best?.narrowing.index.map { " INDEXED BY \($0.quotedName)" } : nil
    self.seek = seek
    statements = seek.stretches(after: after).map { stretch in
      let narrowing = best?.narrowing.condition(in: stretch)
      var conditions = [narrowing?.sql, condition.sql].compactMap { $0 }
      if !withDeleted { conditions.append("c.deleted_at IS NULL") }
      let ordering = stretch.ordering
      let terms = seek.terms.map(\.sql).joined(separator: ", ")
      let rest = "WHERE \((conditions + [stretch.sql]).joined(separator: " AND ")) ORDER BY \(ordering.sql) LIMIT ?"
      // Each channel is looked up there once, however often the statement names it.
      let join =
        (terms + rest).contains("v.") ? " LEFT JOIN \(Store.conversations) v ON v.channel_id = c.id" : ""
      let sql = "SELECT \(terms), c.id FROM channels c\(index ?? "")\(join) \(rest)"
      return Statement(
        sql: sql,
        arguments: seek.terms.flatMap(\.arguments) + (narrowing?.arguments ?? []) + condition.arguments + stretch.arguments
          + ordering.arguments)
    }
  }

  /// The narrowing with the fewest channels, if there are few. Otherwise one whose index has the order of the list. Without either it is
  /// quicker to go through the channels in order until there are enough.
  private static func best(
    of narrowings: [KeyNarrowing], for loose: [String], _ fewMax: Int, _ db: Database
  ) throws -> (narrowing: KeyNarrowing, isFew: Bool)? {
    let inOrder = narrowings.first { $0.gives(loose) }
    if narrowings.count == 1, let inOrder { return (inOrder, false) }
    var fewest: KeyNarrowing?
    var max = fewMax
    for narrowing in narrowings.prefix(comparedMax) {
      guard let count = try narrowing.count(upTo: max, db) else { continue }
      (fewest, max) = (narrowing, count)
    }
    return fewest.map { ($0, true) } ?? inOrder.map { ($0, false) }
  }
}
