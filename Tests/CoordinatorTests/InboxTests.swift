import Testing

@testable import Coordinator

/// The queue into the coordinator.
struct InboxTests {
  @Test func whatMayBeRefusedIsRefusedWhenTooMuchWaits() async {
    let inbox = Inbox<Int>()
    #expect(inbox.put(1, limit: 2) && inbox.put(2, limit: 2) && !inbox.put(3, limit: 2))
    // Inputs that must not be lost are accepted all the same.
    #expect(inbox.put(4) && inbox.count == 3)
    #expect(await inbox.take(max: 2) == [1, 2])
    #expect(inbox.put(5, limit: 2))
    #expect(await inbox.take(max: 9) == [4, 5])
  }

  @Test func whatWaitsIsTakenOutAfterTheEnd() async {
    let inbox = Inbox<Int>()
    inbox.put(1)
    inbox.close()
    #expect(!inbox.put(2))
    #expect(await inbox.take(max: 9) == [1])
    #expect(await inbox.take(max: 9) == nil)
  }

  @Test func whoeverTakesCanBeCalledThoughThereIsNothing() async {
    let inbox = Inbox<Int>()
    inbox.poke()
    #expect(await inbox.take(max: 9) == [])
    // It counts once, and not when there is something to take.
    inbox.poke()
    inbox.put(1)
    #expect(await inbox.take(max: 9) == [1])
    async let taken = inbox.take(max: 9)
    inbox.put(2)
    #expect(await taken == [2])
  }
}
