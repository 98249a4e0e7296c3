import Channels
import Storage
import Store
import TestSupport
import Testing

/// The store as the coordinator asks it.
struct CoordinatorStoreTests {
  /// A daemon that stops goes on until all that it took in is done; what it asks on the way is answered.
  @Test func questionsOfACancelledTaskAreAnswered() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    let asking = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await CoordinatorStore(store).counters()
    }
    asking.cancel()
    #expect(try await asking.value == store.counters())
    store.close()
  }
}
