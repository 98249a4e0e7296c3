internal import GRDB
internal import GRDBSQLite

extension Database {
  /// About how many instructions SQLite carries out between two checks whether someone still wants the answer: a fraction of a millisecond.
  /// In the index of words each of them may read a page.
  private static let instructions: CInt = 1_000

  /// Does `body`, and ends SQLite's work in it as soon as `isOver` returns true.
  func whileWanted<T>(_ isOver: @escaping @Sendable () -> Bool, _ body: () throws -> T) throws -> T {
    guard !isOver() else { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
    let question = Question(isOver)
    return try withExtendedLifetime(question) {
      sqlite3_progress_handler(
        sqliteConnection, Self.instructions,
        { context in
          guard let context else { return 0 }
          return Unmanaged<Question>.fromOpaque(context).takeUnretainedValue().isOver() ? 1 : 0
        }, Unmanaged.passUnretained(question).toOpaque())
      defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
      return try body()
    }
  }

  private final class Question {
    let isOver: @Sendable () -> Bool
    init(_ isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }
  }
}
