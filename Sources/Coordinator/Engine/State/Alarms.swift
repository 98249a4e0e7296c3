internal import Channels
internal import HeapModule
internal import Storage

/// The name of an alarm: an action that is due at a certain time.
protocol AlarmName: Hashable {
  /// The order in which alarms of one moment go off.
  var rank: (kind: Int, first: Int64, second: Int64) { get }
}

/// An action for channels that is due at a certain time.
enum Alarm: AlarmName {
  case channel(ChannelID)
  case grace(RelayID)
  case test(Probed)
  case testOverdue(Probed)
  case upkeep
  case recovery
  /// Entries were left out of the journal, and their number is due to be written.
  case digest

  var rank: (kind: Int, first: Int64, second: Int64) {
    switch self {
    case .channel(let id): (0, id.rawValue, 0)
    case .grace(let id): (1, id.rawValue, 0)
    case .test(.relay(let id)): (2, id.rawValue, 0)
    case .test(.server(let id)): (3, id.rawValue, 0)
    case .testOverdue(.relay(let id)): (4, id.rawValue, 0)
    case .testOverdue(.server(let id)): (5, id.rawValue, 0)
    case .upkeep: (6, 0, 0)
    case .recovery: (7, 0, 0)
    case .digest: (8, 0, 0)
    }
  }
}

typealias Alarms = AlarmTable<Alarm>

/// The alarms that are set, each for one time.
struct AlarmTable<Alarm: AlarmName> {
  private struct Entry: Comparable {
    let due: Timestamp
    let alarm: Alarm
    static func < (a: Self, b: Self) -> Bool { a.due == b.due ? a.alarm.rank < b.alarm.rank : a.due < b.due }
    static func == (a: Self, b: Self) -> Bool { a.due == b.due && a.alarm == b.alarm }
  }

  /// The queue, including replaced entries, which leave when they come to the top.
  private var entries: Heap<Entry> = []
  /// When each alarm goes off.
  private(set) var times: [Alarm: Timestamp] = [:]

  /// The maximum number of replaced entries, in addition to three for each alarm.
  static var replacedMax: Int { 1024 }

  /// When an alarm goes off. `nil` if it is not set.
  subscript(alarm: Alarm) -> Timestamp? { times[alarm] }

  /// The number of entries that are kept, including replaced ones.
  var entryCount: Int { entries.count }

  /// Sets an alarm for another time. `nil` clears it.
  mutating func set(_ alarm: Alarm, at due: Timestamp?) {
    guard times[alarm] != due else { return }
    times[alarm] = due
    if let due { entries.insert(Entry(due: due, alarm: alarm)) }
    // If many entries were replaced, they are cleared out before they come to the top.
    if entryCount > Self.replacedMax, entryCount > 4 * times.count {
      entries = Heap(times.map { Entry(due: $0.value, alarm: $0.key) })
    }
  }

  /// Sets an alarm for this time, unless it goes off earlier.
  mutating func set(_ alarm: Alarm, noLaterThan due: Timestamp) { set(alarm, at: min(times[alarm] ?? due, due)) }

  /// Removes and returns the alarms that are due, by time and then by kind. Each must be set again.
  mutating func take(at now: Timestamp) -> [Alarm] {
    var due: [Alarm] = []
    while let entry = entries.min, entry.due <= now {
      entries.removeMin()
      guard times[entry.alarm] == entry.due else { continue }
      times[entry.alarm] = nil
      due.append(entry.alarm)
    }
    return due
  }

  /// When the next alarm goes off. `nil` if none is set.
  mutating func next() -> Timestamp? {
    while let entry = entries.min, times[entry.alarm] != entry.due { entries.removeMin() }
    return entries.min?.due
  }
}
