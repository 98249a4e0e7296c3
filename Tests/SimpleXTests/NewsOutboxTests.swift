import Channels
import RelayNetwork
import TestTools
import Testing

@testable import SimpleX

/// What is kept of messages that no one has taken yet, and of those that were told.
struct NewsOutboxTests {
  private func news(_ count: Int) -> [MessageNews] {
    (0..<count).map {
      MessageNews(channel: ChannelID(rawValue: 1), isLive: true, what: .deleted(networkID: "\($0)", author: nil))
    }
  }

  private func fill(_ outbox: inout NewsOutbox, _ count: Int, fits: Bool = true) {
    let isAdded = outbox.add(news(count))
    #expect(isAdded == fits)
  }

  private func drain(_ outbox: inout NewsOutbox) -> [MessageBatch] {
    var batches: [MessageBatch] = []
    while let batch = outbox.next() { batches.append(batch) }
    return batches
  }

  @Test func fullBatchesLeaveUntilTooManyAreNotTaken() {
    var outbox = NewsOutbox()
    let most = NewsOutbox.batchesMax * NewsOutbox.newsMax
    #expect(outbox.room == most)
    fill(&outbox, most)
    #expect(outbox.room == 0)
    let batches = drain(&outbox)
    #expect(batches.map(\.id.number) == [1, 2, 3, 4] && batches.allSatisfy { $0.news.count == NewsOutbox.newsMax })
    #expect(batches.flatMap(\.news) == news(most), "in order")
    fill(&outbox, 1, fits: false)
    #expect(drain(&outbox).isEmpty)
    outbox.taken(batches[1].id)
    #expect(outbox.room == NewsOutbox.newsMax)
  }

  @Test func whatDoesNotFitIsLeftOutAsAWhole() {
    var outbox = NewsOutbox()
    fill(&outbox, 250)
    fill(&outbox, 7, fits: false)
    fill(&outbox, 6)
    #expect(outbox.room == 0)
  }

  /// One by one they would use up all batches at once.
  @Test func singleMessagesAreGatheredInTheLastBatch() {
    var outbox = NewsOutbox()
    var numbers: [Int] = []
    for _ in 0..<10 {
      fill(&outbox, 1)
      numbers += drain(&outbox).map(\.id.number)
    }
    #expect(numbers == [1, 2, 3])
    outbox.taken(MessageBatch.ID(network: .simplex, number: 1))
    #expect(drain(&outbox).map(\.news.count) == [7])
  }

  @Test func everythingIsTakenOnceEachBatchUpToTheMarkIs() {
    var outbox = NewsOutbox()
    #expect(outbox.isTaken(outbox.mark), "there is nothing")
    fill(&outbox, NewsOutbox.newsMax + 1)
    let mark = outbox.mark
    #expect(mark == 2 && !outbox.isTaken(mark), "it was not even told")
    let batches = drain(&outbox)
    outbox.taken(batches[1].id)
    #expect(!outbox.isTaken(mark))
    outbox.taken(batches[0].id)
    #expect(outbox.isTaken(mark))
    fill(&outbox, 1)
    #expect(outbox.isTaken(mark) && !outbox.isTaken(outbox.mark))
    #expect(drain(&outbox).count == 1)
    #expect(outbox.isTaken(mark) && !outbox.isTaken(outbox.mark))
  }

  @Test func seenItemsAreBoundedAndOldOnesCountAsSeen() {
    var seen = SeenItems()
    func id(_ number: Int64) -> CoreItem.ID { CoreItem.ID(rawValue: number) }
    #expect(seen.isNew(id(1)))
    for number in 1...1000 { seen.note(id(Int64(number)), as: "\(number)") }
    #expect(seen.name(of: id(1000)) == "1000" && seen.name(of: id(745)) == "745" && seen.name(of: id(744)) == nil)
    #expect(!seen.isNew(id(745)) && !seen.isNew(id(744)) && !seen.isNew(id(-1)) && seen.isNew(id(1001)))
    seen.note(id(3), as: "3")
    #expect(seen.name(of: id(3)) == nil && seen.name(of: id(745)) == "745", "the highest are kept")
    seen.note(id(1000), as: "other")
    #expect(seen.name(of: id(1000)) == "1000")
  }

  /// Events come over several connections, so the order of numbers is not that of events.
  @Test(arguments: 1...20)
  func anItemIsNewExactlyOnce(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var seen = SeenItems()
    let numbers = (1...Int64(SeenItems.max)).shuffled(using: &generator)
    for (count, number) in numbers.enumerated() {
      #expect(seen.isNew(CoreItem.ID(rawValue: number)), "number \(count)")
      seen.note(CoreItem.ID(rawValue: number), as: "\(number)")
      #expect(!seen.isNew(CoreItem.ID(rawValue: number)) && seen.name(of: CoreItem.ID(rawValue: number)) == "\(number)")
    }
  }
}
