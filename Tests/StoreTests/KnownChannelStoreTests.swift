import Channels
import Storage
import Store
import TestSupport
import Testing

/// The store as networks ask it.
struct KnownChannelStoreTests {
  /// A worker that is about to end must not hang at its last question.
  @Test func questionsOfACancelledTaskAreAnswered() async throws {
    let folder = try TemporaryFolder()
    let store = try Store(directory: folder.path + "/state")
    let asking = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await KnownChannelStore(store).channelsServedOnSimpleX(after: nil, limit: 1, among: .all)
    }
    asking.cancel()
    #expect(try await asking.value.isEmpty)
    store.close()
  }
}
