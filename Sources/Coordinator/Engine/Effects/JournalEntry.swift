/// An entry of the journal that waits until it is known whether what it says became durable.
struct JournalEntry: Equatable {
  /// How important an entry is, by the names of syslog.
  enum Level { case debug, notice, info, warning, error }

  /// What happened, for those who search the journal; nil: nothing that they would search for.
  var event: JournalEvent?
  let level: Level
  let message: String
  var fields: [String: String] = [:]
  /// Whether it tells what was heard of the world, which holds whether or not it could be stored. Others are only written when it was.
  var isHeard = false
}
