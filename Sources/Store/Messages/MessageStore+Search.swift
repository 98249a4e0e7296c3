internal import Channels
internal import GRDB
internal import Storage

// The search for words.
extension MessageStore {
  /// Comparing hits needs time for each word, so the hits of a longer search are not ranked: newest first.
  private static let rankedWordsMax = 32

  func messages(holding search: MessageSearch) throws -> (hits: [MessageHit], hasMore: Bool) {
    let words = MessageWords(search.text)
    guard let match = words.query(in: search.channel) else { return ([], false) }
    let limit = max(1, search.limit)
    let isRanked = !search.isNewestFirst && words.all.count <= Self.rankedWordsMax
    let (messages, hasMore) = try read { db in
      let found = try Int64.fetchAll(
        db, cached: isRanked ? Self.ranked : Self.newest, arguments: [match, limit + 1, max(0, search.offset)])
      let reader = MessageReader(db: db)
      let chosen = try reader.prefix(Array(found.prefix(limit)))
      return (try reader.messages(chosen), chosen.count < found.count)
    }
    let excerpt = MessageExcerpt(words)
    return (messages.map { MessageHit(message: $0, excerpt: excerpt.pieces($0.row.text)) }, hasMore)
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
}
