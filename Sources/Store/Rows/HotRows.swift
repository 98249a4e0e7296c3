internal import GRDB

/// The rows that are written most. Their statements are looked up once per transaction.
struct HotRows {
  /// A kind of write, with its table.
  enum Write: Int, CaseIterable {
    case insertChannel, touchChannel, rewriteChannel, saveChannelRelay, appendTransition, appendChange

    fileprivate var statement: RowStatement {
      switch self {
      case .insertChannel: SummedTable.channels.insertion
      case .touchChannel: Self.touching
      case .rewriteChannel: SummedTable.channels.replacement
      case .saveChannelRelay: SummedTable.channelRelays.upsertion
      case .appendTransition: SummedTable.transitions.insertion
      case .appendChange: SummedTable.changes.insertion
      }
    }

    private static let touching = RowStatement.updating(
      SummedTable.channels.name, SummedTable.channels.columns, key: SummedTable.channels.key,
      setting: ["revision", "updated_at", "deleted_at", "wanted_relays", "relay_count"])
  }

  private let db: Database
  /// The revision from which pending ones are counted.
  var base: Int64
  private var writers: [RowWriter?]

  init(_ db: Database, base: Int64) {
    self.db = db
    self.base = base
    writers = Array(repeating: nil, count: Write.allCases.count)
  }

  /// Writes one row.
  /// - Parameter values: binds the values of all columns except the sum, in the table's order.
  mutating func write(_ write: Write, _ values: (inout BoundRow) -> Void) throws {
    let writer = try writer(write)
    do { try writer.write(base: base, values) } catch {
      // GRDB may have dropped the statement.
      writers[write.rawValue] = nil
      throw error
    }
  }

  private mutating func writer(_ write: Write) throws -> RowWriter {
    if let writer = writers[write.rawValue] { return writer }
    let writer = try RowWriter(write.statement, db)
    writers[write.rawValue] = writer
    return writer
  }
}
