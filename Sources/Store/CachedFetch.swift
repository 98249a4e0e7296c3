internal import GRDB

// Reads whose statement is prepared once per connection. SQLite and GRDB need longer to prepare the small statements of this store than to
// run them. Use this only for constant texts, because prepared statements are never dropped.

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
