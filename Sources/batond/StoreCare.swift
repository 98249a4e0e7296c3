internal import Channels
internal import Coordinator
internal import Foundation
internal import Storage

/// The schedule for checking all stored data.
struct ScrubSchedule: Hashable, Sendable {
  /// The number of rows that are checked per second. 0 turns the check off.
  var rows = 2_000
  /// The time from the end of one check to the beginning of the next.
  var interval = Duration.seconds(86_400)
}

/// Maintains the database while the daemon runs: writes its log back and slowly checks everything that is stored.
struct StoreCare<Store: CareStorage>: Sendable {
  let store: Store
  let clock: any CoordinatorClock
  let schedule: ScrubSchedule

  /// A separate queue, so that other work does not wait for it.
  private let queue = DispatchQueue(label: "baton.store-care", qos: .utility)

  init(store: Store, clock: any CoordinatorClock, schedule: ScrubSchedule) {
    self.store = store
    self.clock = clock
    self.schedule = schedule
  }

  /// Runs until cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await keepLogShort() }
      tasks.addTask { await scrub() }
    }
  }

  private func apart<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
  }

  private func keepLogShort() async {
    while (try? await clock.sleep(until: clock.now + .seconds(10))) != nil { await apart { [store] in store.checkpoint() } }
  }

  private func scrub() async {
    guard schedule.rows > 0 else { return }
    while !Task.isCancelled {
      var place: Store.Scrub?
      repeat {
        guard (try? await clock.sleep(until: clock.now + .seconds(1))) != nil else { return }
        place = await apart { [store, schedule, place] in store.scrub(place, rows: schedule.rows).next }
      } while place != nil
      guard (try? await clock.sleep(until: clock.now + schedule.interval)) != nil else { return }
    }
  }
}
