extension HistoryPager {
  /// The part of a request besides the filter, as the members of a filter (NIP-01).
  struct Query: Hashable, Sendable {
    /// In Unix seconds, one before the window, or `nil` if the window begins with time.
    let since: Int64?
    /// In Unix seconds.
    let until: Int64
    let limit: Int
  }

  /// The judgement on an event that a relay served.
  enum Judgement: Hashable, Sendable {
    /// It was asked for, is genuine, and was not known.
    case new
    /// An event with this id was found before.
    case known
    /// It does not match the filter, or is outside the window.
    case unasked
    /// Its id or its signature is wrong.
    case forged
    /// Nothing was asked for, or the pager has ended. End the subscription.
    case ignored
  }

  enum Ending: Hashable, Sendable {
    /// The relay has served all that it holds in the window, except in `holes`.
    case complete
    /// The relay's answers lead nowhere. Whether it has events from before `settledFrom` is not known.
    case gaveUp(GivingUp)
  }

  enum GivingUp: String, Hashable, Sendable, CaseIterable {
    /// More queries than `Limits.queriesMax` would be needed.
    case queries
    /// The relay served more events than `Limits.eventsMax`.
    case events
    /// The relay served more bytes than `Limits.bytesMax`.
    case bytes
    /// The relay answers without anything new, again and again.
    case noProgress
  }

  struct Limits: Hashable, Sendable {
    /// The number of events that the first query asks for.
    var pageSize = 500
    /// The largest number of events that a query asks for.
    var limitMax = 2_000
    var queriesMax = 2_000
    /// The number of events that a relay may serve in all pages, known ones and strangers included. It also bounds the ids that are kept.
    var eventsMax = 50_000
    /// The size of all these events.
    var bytesMax = 64 << 20
    /// The number of pages in a row that bring nothing new and lead no further back. Honest relays need few: one for each time that
    /// `pageSize` doubles until `limitMax`, and three.
    var barrenMax = 32
    /// The number of times that a second is asked for again because the last page had something new.
    var repeatsMax = 8
    /// No relay serves fewer events in one page than this: a smaller page was not cut short.
    var smallestCap = 10
  }
}
