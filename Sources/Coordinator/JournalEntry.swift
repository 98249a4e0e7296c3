internal import Logging

/// An entry of the journal that waits until it is known whether what it says became durable.
struct JournalEntry {
  let event: JournalEvent
  let level: Logger.Level
  let message: String
  let fields: [String: String]
  /// Whether it tells what was heard of the world, which holds whether or not it could be stored. Others are only written when it was.
  var isHeard = false
}

extension Logger {
  func write(_ entry: JournalEntry) {
    event(entry.event, entry.level, "\(entry.message)", entry.fields.mapValues { "\($0)" })
  }
}
