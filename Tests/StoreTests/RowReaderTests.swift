import Foundation
import GRDB
import Storage
import TestSupport
import Testing

@testable import Store

/// Rows that are read by position: they are taken for right exactly where `SummedTable.verify` takes them for right.
struct RowReaderTests {
  private static let table = SummedTable.changes

  /// What is read of a row: its values as texts, and what is said of it; nil when all is well.
  private struct Read {
    var values: [String?]
    var fault: StoreError?
  }

  /// A table with the columns of a summed one, of any type, and one row for each list of values in SQL. The sums are right.
  private static func database(_ rows: [[String]]) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { $0.add(function: RowSum.function) }
    let database = try DatabaseQueue(configuration: configuration)
    try database.write { db in
      try db.execute(sql: "CREATE TABLE \(table.name) (\((table.columns + ["sum"]).joined(separator: ", ")))")
      for (index, row) in rows.enumerated() {
        try db.execute(sql: "INSERT INTO \(table.name) VALUES (\(index + 1), \(row.joined(separator: ", ")), 0)")
      }
      try db.execute(sql: "UPDATE \(table.name) SET sum = \(table.expression)")
    }
    return database
  }

  /// Reads each row twice: by position, with each column but the first as a text, and as GRDB does.
  private static func read(_ database: DatabaseQueue) throws -> (byPosition: [Read], byGRDB: [Read]) {
    try database.read { db -> (byPosition: [Read], byGRDB: [Read]) in
      let statement = try db.makeStatement(sql: table.selection)
      var byPosition: [Read] = []
      try Row.fetchCursor(statement).forEach { row in
        var values = RowReader(statement.sqliteStatement)
        _ = values.integer()
        var texts: [String?] = []
        for _ in table.columns.dropFirst() { texts.append(values.textIfAny()) }
        byPosition.append(Read(values: texts, fault: fault { try values.end(table) }))
      }
      var byGRDB: [Read] = []
      for row in try Row.fetchAll(db, sql: table.selection) {
        let texts = Array(row.databaseValues).dropFirst().dropLast().map { String.fromDatabaseValue($0) }
        byGRDB.append(Read(values: texts, fault: fault { try table.verify(row) }))
      }
      return (byPosition, byGRDB)
    }
  }

  private static func fault(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      return nil
    } catch { return error as? StoreError }
  }

  private static let texts = [
    "NULL", "''", "'a'", "'abcdefgh'", "'näïve 日本語 🙂'",
    // No UTF-8, cut off, and with a NUL: what a disk may make of a text, and a person may then accept.
    "CAST(x'FF61C3' AS TEXT)", "CAST(x'E697' AS TEXT)", "CAST(x'610062' AS TEXT)", "CAST(x'00' AS TEXT)",
  ]

  @Test func textsAreThoseThatGRDBReads() throws {
    let database = try Self.database(Self.texts.map { [$0, "'x'", "NULL", $0, "''"] })
    let (byPosition, byGRDB) = try Self.read(database)
    #expect(byPosition.count == Self.texts.count)
    for (ours, theirs) in zip(byPosition, byGRDB) {
      #expect(ours.fault == nil && theirs.fault == nil)
      #expect(ours.values == theirs.values)
    }
  }

  @Test func changedValuesAreNoticedWhereGRDBWouldNoticeThem() throws {
    let values = Self.texts + ["0", "1", "-9223372036854775808", "9223372036854775807", "1.5", "x''", "x'00'", "x'61'"]
    // One row for each pair: the value that was written, and the one that stands there now.
    let pairs = values.flatMap { before in values.map { (before, $0) } }
    let database = try Self.database(pairs.map { ["'x'", $0.0, "NULL", "'y'", "NULL"] })
    try database.write { db in
      for (index, pair) in pairs.enumerated() {
        try db.execute(sql: "UPDATE changes SET channel_id = \(pair.1) WHERE revision = \(index + 1)")
      }
    }
    let (byPosition, byGRDB) = try Self.read(database)
    #expect(byGRDB.filter { $0.fault != nil }.count > pairs.count / 2)
    for (index, (ours, theirs)) in zip(byPosition, byGRDB).enumerated() {
      let isText = Self.texts.contains(pairs[index].1)
      if let fault = theirs.fault {
        #expect(ours.fault?.description == fault.description, "\(pairs[index])")
      } else {
        // A value of another type is noticed even where its sum is right.
        #expect(
          ours.fault?.description == (isText ? nil : "the change of revision \(index + 1) is unreadable"), "\(pairs[index])")
      }
      #expect(ours.fault == nil || ours.fault?.code == .corrupt)
    }
  }

  @Test(arguments: [
    "INSERT INTO changes VALUES (1, 2, 3, 4, 5, 6, NULL)", "INSERT INTO changes VALUES (1, 2, 3, 4, 5, 6, 'x')",
  ])
  func sumThatIsNoneIsNotRight(sql: String) throws {
    let database = try Self.database([])
    try database.write { db in try db.execute(sql: sql) }
    let (byPosition, byGRDB) = try Self.read(database)
    #expect(byPosition.map(\.fault?.description) == byGRDB.map(\.fault?.description))
    #expect(byPosition.map(\.fault?.code) == [.corrupt])
  }
}
