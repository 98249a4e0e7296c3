/// An entry of the journal that waits until it is known whether what it says became durable.
struct JournalEntry: Equatable {
  /// How important an entry is, by the names of syslog.
  enum Level { case debug, notice, info, warning, error }

  /// What happened, for operators who search the journal; `nil` if they would not search for it.
  var event: JournalEvent?
  let level: Level
  let message: String
  var fields: [String: String] = [:]
  /// The part of the decision with which it stands or falls; `nil` if it does not depend on one.
  var part: Decision.Part?
  /// Whether it reports what was learned from outside, which holds whether or not it was stored. Other entries are logged only if it was.
  var isHeard = false
}
