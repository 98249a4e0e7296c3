internal import GRDB
internal import Storage

// A slow look at all stored data, so that damage is noticed while there is still a backup without it.
extension Store {
  /// How far a scrub has got.
  public struct Scrub: Sendable {
    fileprivate var table = 0
    /// The key of the last row that was looked at, or `nil` if the table's structure comes first.
    fileprivate var after: [DatabaseValue]?
    fileprivate var isStructureChecked = false

    public init() {}
  }

  /// Looks at the next rows, and at the structure of each table before its rows.
  /// - Parameters:
  ///   - place: where to continue, or `nil` to start at the beginning.
  ///   - rows: how many, at most.
  /// - Returns: the damage, for people, and where to continue, or `nil` at the end.
  public func scrub(_ place: Scrub?, rows: Int) -> (found: [String], next: Scrub?) {
    var place = place ?? Scrub()
    guard place.table < SummedTable.all.count else { return ([], nil) }
    let table = SummedTable.all[place.table]
    var found: [String] = []
    do {
      try open.read { db in
        guard place.isStructureChecked else {
          place.isStructureChecked = true
          found = try Self.damageOfFile(db, table.name)
          return
        }
        let key = table.key.joined(separator: ", ")
        let bound = place.after.map { "WHERE (\(key)) > (\($0.map { _ in "?" }.joined(separator: ", ")))" } ?? ""
        var arguments = place.after ?? []
        arguments.append(rows.databaseValue)
        let part = try Row.fetchAll(
          db, sql: "\(table.selection) \(bound) ORDER BY \(key) LIMIT ?", arguments: StatementArguments(arguments))
        for row in part {
          do { try table.verify(row) } catch let error as StoreError { found.append(error.description) }
        }
        place.after = part.last.map { Array($0.databaseValues.prefix(table.key.count)) }
        if part.count < rows { place = place.nextTable }
      }
    } catch let error as StoreError where error.code == .inputOutput {
      // A closed store is not damage.
      return ([], nil)
    } catch {
      // A person must look at the rows behind a page that cannot be read.
      found.append(Self.wrap(error, open.path).description)
      place = place.nextTable
    }
    for finding in found { damage.note(finding) }
    return (found, place.table < SummedTable.all.count ? place : nil)
  }
}

extension Store {
  /// Accepts damaged rows with their current values, so that a daemon without a backup can continue with them. Rows of an older schema
  /// get new sums anyway when it is brought up to date.
  /// - Returns: which rows, for people.
  static func acceptDamage(_ db: Database) throws -> [String] {
    guard try Int32.fetchOne(db, sql: "PRAGMA user_version") == Schema.version else { return [] }
    var accepted: [String] = []
    for table in SummedTable.all {
      let rows = try Row.fetchAll(db, sql: table.selection + " WHERE sum <> \(table.expression)")
      guard !rows.isEmpty else { continue }
      accepted += rows.map(table.title)
      try db.execute(sql: "UPDATE \(table.name) SET sum = \(table.expression) WHERE sum <> \(table.expression)")
      // Without its own sum, the sum of the tables' descriptions proves nothing. Otherwise it must still hold.
      if table.name == SummedTable.settings.name, rows.contains(where: Schema.isSum) { try Schema.storeSum(db) }
    }
    // Channels in quarantine are tried again. A channel that still cannot be read comes back here.
    try db.execute(sql: "DELETE FROM quarantine")
    return accepted
  }
}

extension Store.Scrub {
  fileprivate var nextTable: Self {
    var next = Self()
    next.table = table + 1
    return next
  }
}
