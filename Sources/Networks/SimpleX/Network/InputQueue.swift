/// What has arrived for the worker and was not taken yet.
///
/// Whoever asks for something waits for the answer, which bounds all inputs but the core's events. Of those there may be any number while a
/// command is under way. They only say that it is worth to look, so beyond a limit they are replaced by a look at everything.
struct InputQueue {
  /// Events that are kept.
  static let eventsMax = 1_000

  private var inputs: [SimpleXNetwork.Input] = []
  private var events = 0
  private var hasMissed = false

  mutating func put(_ input: SimpleXNetwork.Input) {
    if case .core(.event) = input {
      guard events < Self.eventsMax else {
        hasMissed = true
        return
      }
      events += 1
    }
    inputs.append(input)
  }

  /// All that has arrived, in order; `eventsMissed` at the end when events were left out.
  mutating func take() -> [SimpleXNetwork.Input] {
    defer { self = Self() }
    return hasMissed ? inputs + [.eventsMissed] : inputs
  }
}
