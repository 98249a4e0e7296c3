internal import Channels
internal import Coordinator
internal import Foundation
internal import Storage

/// How fast and how often everything that is stored is looked at.
struct ScrubSchedule: Hashable, Sendable {
  /// Rows in a second; 0: nothing is looked at.
  var rows = 2_000
  /// From the end of one look to the beginning of the next.
  var interval = Duration.seconds(86_400)
}

/// Looks after the database while the daemon runs: writes its log back and looks, slowly, at everything that is stored.
struct StoreCare<Store: CareStorage>: Sendable {
  let store: Store
  let clock: any CoordinatorClock
  let schedule: ScrubSchedule

  /// Away from the threads that everything else needs.
  private let queue = DispatchQueue(label: "baton.store-care", qos: .utility)

  init(store: Store, clock: any CoordinatorClock, schedule: ScrubSchedule) {
    self.store = store
    self.clock = clock
    self.schedule = schedule
  }

  /// Until cancelled.
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
