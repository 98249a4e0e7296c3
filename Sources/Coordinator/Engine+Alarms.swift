internal import Channels
internal import HeapModule
internal import Storage

// What the engine does at a certain time.
extension Engine {
  enum Alarm: Hashable {
    case channel(ChannelID)
    case grace(RelayID)
    case test(Probed)
    case testOverdue(Probed)
    case upkeep
    case recovery
    /// Something was left out of the journal, and it is time to say how much.
    case digest

    /// In which order alarms of one moment go off.
    fileprivate var rank: (kind: Int, id: Int64) {
      switch self {
      case .channel(let id): (0, id.rawValue)
      case .grace(let id): (1, id.rawValue)
      case .test(.relay(let id)): (2, id.rawValue)
      case .test(.server(let id)): (3, id.rawValue)
      case .testOverdue(.relay(let id)): (4, id.rawValue)
      case .testOverdue(.server(let id)): (5, id.rawValue)
      case .upkeep: (6, 0)
      case .recovery: (7, 0)
      case .digest: (8, 0)
      }
    }
  }

  struct Entry: Comparable {
    let due: Timestamp
    let alarm: Alarm
    static func < (a: Self, b: Self) -> Bool { a.due == b.due ? a.alarm.rank < b.alarm.rank : a.due < b.due }
    static func == (a: Self, b: Self) -> Bool { a.due == b.due && a.alarm == b.alarm }
  }

  func setAlarm(_ alarm: Alarm, at due: Timestamp?) {
    guard alarmTimes[alarm] != due else { return }
    alarmTimes[alarm] = due
    if let due { alarms.insert(Entry(due: due, alarm: alarm)) }
    // Entries that were replaced leave when they come to the top; many of them are cleared out before that.
    if alarms.count > 1024, alarms.count > 4 * alarmTimes.count {
      alarms = Heap(alarmTimes.map { Entry(due: $0.value, alarm: $0.key) })
    }
  }

  /// The alarms that are due; each is forgotten and must be set again.
  func dueAlarms(_ now: Timestamp) -> [Alarm] {
    var due: [Alarm] = []
    while let entry = alarms.min, entry.due <= now {
      alarms.removeMin()
      guard alarmTimes[entry.alarm] == entry.due else { continue }
      alarmTimes[entry.alarm] = nil
      due.append(entry.alarm)
    }
    return due
  }

  /// Sees to it that `timersDue` comes in when the next alarm is due.
  func scheduleWake() {
    while let entry = alarms.min, alarmTimes[entry.alarm] != entry.due { alarms.removeMin() }
    guard let next = alarms.min?.due else {
      waker?.cancel()
      wakeAt = nil
      return
    }
    guard wakeAt != next else { return }
    wakeAt = next
    waker?.cancel()
    waker = Task { [clock, post] in
      guard (try? await clock.sleep(until: next)) != nil else { return }
      post(.timersDue)
    }
  }
}
