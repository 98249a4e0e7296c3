/// A journal entry that waits until it is certain whether its event became durable.
struct JournalEntry: Equatable {
  /// How important an entry is, by the names of syslog.
  enum Level { case debug, notice, info, warning, error }

  /// The event, for operators who search the journal. `nil` if they would not search for it.
  var event: JournalEvent?
  let level: Level
  let message: String
  var fields: [String: String] = [:]
  /// The part of the decision that it depends on, if any.
  var part: Decision.Part?
  /// Whether it reports an observation, which holds whether or not it was stored. Other entries are logged only if they were stored.
  var isHeard = false
}
