internal import Channels
internal import Foundation
internal import GRDB
internal import Storage

// The search for words.
extension MessageStore {
  /// Comparing hits takes time for each word, so those of a longer search come as they are, newest first.
  private static let rankedWordsMax = 32

  func messages(holding search: MessageSearch) throws -> (hits: [MessageHit], hasMore: Bool) {
    let words = MessageWords(search.text)
    guard let match = words.query(in: search.channel) else { return ([], false) }
    let limit = max(1, search.limit)
    let isRanked = !search.isNewestFirst && words.count <= Self.rankedWordsMax
    return try read { db in
      let found = try Int64.fetchAll(
        db, cached: isRanked ? Self.ranked : Self.newest, arguments: [match, limit + 1, max(0, search.offset)])
      let reader = MessageReader(db: db)
      let chosen = try reader.prefix(Array(found.prefix(limit)))
      let hits = try reader.messages(chosen).map { message in
        MessageHit(message: message, excerpt: try Self.excerpt(message.row.id, match, db))
      }
      return (hits, chosen.count < found.count)
    }
  }

  /// Ids grow in the order of arrival.
  private static let newest = """
    SELECT rowid FROM message_words WHERE message_words MATCH ? ORDER BY rowid DESC LIMIT ? OFFSET ?
    """

  /// The channel, which is a word too, weighs nothing.
  private static let ranked = """
    SELECT rowid FROM (
      SELECT rowid, bm25(message_words, 1.0, 0.0) AS score FROM message_words WHERE message_words MATCH ?
      ORDER BY rowid DESC LIMIT \(MessageSearch.rankedMax))
    ORDER BY score, rowid DESC LIMIT ? OFFSET ?
    """

  private static func excerpt(_ message: MessageID, _ match: String, _ db: Database) throws -> [MessageHit.Piece] {
    // The marks are bytes that are in no text, because UTF-8 has no use for them.
    let marked = try Data.fetchOne(
      db,
      cached: """
        SELECT CAST(snippet(message_words, 0, CAST(x'FF' AS TEXT), CAST(x'FE' AS TEXT), '…', 32) AS BLOB)
        FROM message_words WHERE message_words MATCH ? AND rowid = ?
        """, arguments: [match, message.rawValue])
    return MessageExcerpt.pieces(marked.map(Array.init) ?? [])
  }
}
