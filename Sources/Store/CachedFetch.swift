internal import GRDB

// Reads whose statement is prepared once per connection. SQLite and GRDB take longer to prepare the small statements of this store than to
// run them. This is only for texts that are always the same, because prepared statements stay.

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
  static func fetchAll(_ db: Database, cached sql: String, arguments: StatementArguments = []) throws -> [Self] {
    try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
  }

  static func fetchOne(_ db: Database, cached sql: String, arguments: StatementArguments = []) throws -> Self? {
    try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }
}

extension Row {
  static func fetchAll(_ db: Database, cached sql: String, arguments: StatementArguments = []) throws -> [Row] {
    try fetchAll(db.cachedStatement(sql: sql), arguments: arguments)
  }

  static func fetchOne(_ db: Database, cached sql: String, arguments: StatementArguments = []) throws -> Row? {
    try fetchOne(db.cachedStatement(sql: sql), arguments: arguments)
  }
}
