internal import Channels
internal import GRDB
package import Storage

/// Reads posts by their ids. It serves one access to the database, in which each statement is looked up once.
struct PostReader {
  private let posts: RowsOfID
  private let deliveries: RowsOfID

  init(_ db: Database) throws {
    posts = try RowsOfID("SELECT * FROM posts WHERE id = ?", db)
    deliveries = try RowsOfID("SELECT * FROM deliveries WHERE post_id = ? ORDER BY relay_id", db)
  }

  /// A post with its deliveries, or `nil` if it does not exist.
  /// - Throws: `StoreError.corrupt` when its rows are damaged, or contradict each other.
  func post(_ id: PostID) throws -> StoredPost? {
    var post: PostRow?
    try posts.each(id.rawValue) { post = try PostRow(&$0) }
    guard let post else { return nil }
    var rows: [Result<DeliveryRow, any Error>] = []
    try deliveries.each(id.rawValue) { values in rows.append(Result { try DeliveryRow(of: post, &values) }) }
    return try StoredPost(post, rows)
  }
}

extension StoredPost {
  /// A post from its row and its deliveries' rows, in their order.
  /// - Throws: `StoreError.corrupt` when one of them is damaged, or they contradict each other.
  package init(_ row: PostRow, _ deliveries: [Result<DeliveryRow, any Error>]) throws {
    // Deliveries that cannot be found are reported first.
    guard deliveries.count == row.deliveryCount else {
      throw StoreError(
        .corrupt,
        "post \(row.id.rawValue) has \(row.deliveryCount) deliveries, and \(deliveries.count) of them can be found. Restore a backup"
      )
    }
    self.init(row: row, deliveries: try deliveries.map { try $0.get() })
  }
}
