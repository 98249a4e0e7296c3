/// The inputs for the worker that have arrived and wait for it.
///
/// Clients wait for the answers to their requests, which bounds all inputs except the core's events. There may be any number of events
/// while a command is under way. They only mean that a look makes sense, so beyond a limit a look at everything replaces them.
struct InputQueue {
  /// How many events are kept.
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

  /// All inputs in order, with `eventsMissed` at the end if events were left out.
  mutating func take() -> [SimpleXNetwork.Input] {
    defer { self = Self() }
    return hasMissed ? inputs + [.eventsMissed] : inputs
  }
}
