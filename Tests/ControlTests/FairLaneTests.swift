import Dispatch
import NIOPosix
import Storage
import Synchronization
import Testing

@testable import ControlServer

/// The jobs that have run, in order.
private final class Record: Sendable {
  private let names = Mutex<[String]>([])
  func add(_ name: String) { names.withLock { $0.append(name) } }
  var all: [String] { names.withLock { $0 } }
}

/// The slow jobs of one user do not make others wait.
@Suite(.timeLimit(.minutes(10)))
struct FairLaneTests {
  private let threads: NIOThreadPool

  init() {
    threads = NIOThreadPool(numberOfThreads: 3)
    threads.start()
  }

  @Test func userWithManyJobsLeavesAThreadToOthers() async throws {
    let lane = FairLane(threads, count: 3, perUserMax: 2)
    let gate = DispatchSemaphore(value: 0)
    let begun = Record()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await lane.run(for: 1) {
            begun.add("a")
            gate.wait()
          }
        }
      }
      while begun.all.count < 2 { await Task.yield() }
      // The jobs of others run at once.
      for number in 0..<20 { #expect(try await lane.run(for: 2) { number } == number) }
      #expect(begun.all.count == 2)
      for _ in 0..<8 { gate.signal() }
      try await group.waitForAll()
    }
    #expect(begun.all.count == 8)
    await lane.shutDown()
  }

  @Test func thoseWhoWaitTakeTurns() async throws {
    let lane = FairLane(threads, count: 1, perUserMax: 1)
    let gate = DispatchSemaphore(value: 0)
    let done = Record()
    try await withThrowingTaskGroup(of: Void.self) { group in
      // One after the other, so that the order is known.
      for (index, (user, name)) in [(1, "a1"), (1, "a2"), (1, "a3"), (1, "a4"), (2, "b1"), (3, "c1")].enumerated() {
        group.addTask {
          try await lane.run(for: UInt32(user)) {
            if name == "a1" { gate.wait() }
            done.add(name)
          }
        }
        while lane.count < index + 1 { await Task.yield() }
      }
      gate.signal()
      try await group.waitForAll()
    }
    #expect(done.all == ["a1", "a2", "b1", "c1", "a3", "a4"])
    await lane.shutDown()
  }

  @Test func jobsThatAreCancelledBeforeTheirTurnAreSkipped() async throws {
    let lane = FairLane(threads, count: 1, perUserMax: 1)
    let gate = DispatchSemaphore(value: 0)
    let first = Task { try await lane.run(for: 1) { gate.wait() } }
    while lane.count < 1 { await Task.yield() }
    let second = Task { try await lane.run(for: 1) { Issue.record("it was to be left out") } }
    while lane.count < 2 { await Task.yield() }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    gate.signal()
    try await first.value
    await lane.shutDown()
    await #expect(throws: CancellationError.self) { try await lane.run(for: 1) {} }
  }

  @Test func theLastThreadGoesToSomebodyWithoutOne() async throws {
    let lane = FairLane(threads, count: 2, perUserMax: 2)
    let gate = DispatchSemaphore(value: 0)
    let begun = Record()
    let jobs = (0..<2).map { _ in
      Task {
        try await lane.run(for: 1) {
          begun.add("a")
          gate.wait()
        }
      }
    }
    while lane.count < 2 || begun.all.isEmpty { await Task.yield() }
    #expect(try await lane.run(for: 2) { 5 } == 5)
    #expect(begun.all == ["a"])
    for _ in jobs { gate.signal() }
    for job in jobs { try await job.value }
    await lane.shutDown()
  }

  @Test func whatSaysHowTheDaemonIsWaitsForNothingElse() async throws {
    let control = ControlThreads()
    let gate = DispatchSemaphore(value: 0)
    let begun = Record()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for user in 1...8 as ClosedRange<UInt32> {
        for size in [WorkSize.little, .much, .whole] {
          group.addTask {
            try await Caller.$user.withValue(user) {
              try await control.run(size) {
                begun.add("a")
                gate.wait()
              }
            }
          }
        }
      }
      while begun.all.count < 7 { await Task.yield() }
      #expect(try await control.run(.vital) { 5 } == 5)
      #expect(begun.all.count == 7, "and the other threads are all taken")
      for _ in 0..<24 { gate.signal() }
      try await group.waitForAll()
    }
    await control.shutDown()
  }

  /// Reads until it is told to end, as storage does.
  @Sendable private static func readOn() throws {
    let isOver = try #require(Reading.current?.isOver)
    while !isOver() {}
    throw StoreError(.inputOutput, "ended")
  }

  @Test func whatIsReadEndsWhenNobodyWaitsForIt() async throws {
    let lane = FairLane(threads, count: 1, perUserMax: 1)
    for isStopping in [false, true] {
      let begun = Record()
      let endless = Task {
        try await lane.run(for: 1) {
          begun.add("a")
          try Self.readOn()
        }
      }
      while begun.all.isEmpty { await Task.yield() }
      if isStopping { await lane.shutDown() } else { endless.cancel() }
      await #expect(throws: CancellationError.self) { try await endless.value }
      if !isStopping { #expect(try await lane.run(for: 2) { 5 } == 5, "its thread is free") }
    }
  }

  @Test func whatIsReadEndsWhenItsTimeIsUp() async throws {
    let lane = FairLane(threads, count: 1, perUserMax: 1)
    let failure = await #expect(throws: StoreError.self) { try await lane.run(for: 1, within: .zero, Self.readOn) }
    #expect(failure?.description.contains("would take longer than 0 seconds") == true)
    await lane.shutDown()
  }
}
