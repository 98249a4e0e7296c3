internal import Synchronization

/// Hands reports to a receiver. Earlier ones are kept until there is one.
public final class ReportBuffer<Report: Sendable>: Sendable {
  private struct State {
    var receiver: (@Sendable (Report) -> Void)?
    var kept: [Report] = []
  }

  private let state = Mutex(State())
  private let keptMax: Int

  /// - Parameter keptMax: how many reports are kept. Further ones are lost.
  public init(keptMax: Int = .max) { self.keptMax = keptMax }

  /// Hands a report over, or keeps it.
  public func add(_ report: Report) {
    let receiver = state.withLock { state in
      if state.receiver == nil, state.kept.count < keptMax { state.kept.append(report) }
      return state.receiver
    }
    receiver?(report)
  }

  /// Hands over the kept reports, and then each new one.
  public func start(_ receiver: @escaping @Sendable (Report) -> Void) {
    state.withLock { state in
      for report in state.kept { receiver(report) }
      state = State(receiver: receiver)
    }
  }
}
