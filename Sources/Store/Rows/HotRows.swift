internal import GRDB

/// The rows that are written most. Their statements are looked up once per transaction.
struct HotRows {
  /// A kind of write, with its table.
  enum Write: Int, CaseIterable {
    case insertChannel, touchChannel, rewriteChannel, saveChannelRelay, appendTransition, appendChange
    case insertPost, updatePost, rewritePost, saveDelivery, appendPostTransition, savePostRoute, savePostRetention
    case saveOperator, saveServer, saveRelay, appendHealth, insertIdentity

    fileprivate var statement: RowStatement {
      switch self {
      case .insertChannel: SummedTable.channels.insertion
      case .touchChannel: Self.touching
      case .rewriteChannel: SummedTable.channels.replacement
      case .saveChannelRelay: SummedTable.channelRelays.upsertion
      case .appendTransition: SummedTable.transitions.insertion
      case .appendChange: SummedTable.changes.insertion
      case .insertPost: SummedTable.posts.insertion
      case .updatePost: Self.updating
      case .rewritePost: Self.rewritingPost
      case .saveDelivery: SummedTable.deliveries.upsertion
      case .appendPostTransition: SummedTable.postTransitions.insertion
      case .savePostRoute: SummedTable.postRoutes.upsertion
      case .savePostRetention: SummedTable.postRetention.upsertion
      case .saveOperator: SummedTable.operators.upsertion
      case .saveServer: SummedTable.servers.upsertion
      case .saveRelay: SummedTable.relays.upsertion
      case .appendHealth: SummedTable.health.insertion
      case .insertIdentity: SummedTable.identities.insertion
      }
    }

    /// Whether the revision of the row is one of posts.
    fileprivate var isOfPosts: Bool {
      switch self {
      case .insertPost, .updatePost, .rewritePost, .saveDelivery, .appendPostTransition, .savePostRoute, .savePostRetention:
        true
      case .insertChannel, .touchChannel, .rewriteChannel, .saveChannelRelay, .appendTransition, .appendChange, .saveOperator,
        .saveServer, .saveRelay, .appendHealth, .insertIdentity:
        false
      }
    }

    private static let updating = updating(.posts, ChangingColumns.ofPost)
    private static let rewritingPost = updating(.posts, ChangingColumns.ofRewrittenPost)
    private static let touching = updating(.channels, ChangingColumns.ofTouchedChannel)

    private static func updating(_ table: SummedTable, _ columns: [String]) -> RowStatement {
      .updating(table.name, table.columns, key: table.key, setting: columns)
    }
  }

  private let db: Database
  /// The revision from which pending ones are counted.
  var base: Int64
  /// The same for the sequence of posts.
  var postBase: Int64 = 0
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
    do { try writer.write(base: write.isOfPosts ? postBase : base, values) } catch {
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
