internal import BatonClient
internal import ControlAPI
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Varlink

// Commands with --watch.
extension Session {
  /// Between two looks at least: nobody reads faster.
  private static let pause = Duration.milliseconds(100)
  /// How many times as long as a look takes there is none, because the daemon has others to serve.
  private static let share = 4
  /// Not everything that is shown changes with an event.
  private static let pulse = Duration.seconds(5)
  /// Between attempts to follow a daemon that is away.
  private static let wait = Duration.seconds(1)

  /// Looks now, whenever something has changed, and after a while in any case; also at a daemon that was started again. Does not end by
  /// itself.
  /// - Parameters:
  ///   - kinds: of the changes, as `org.batond.Monitor.Watch` names them; nil: all.
  ///   - look: reads and shows what there is to see, given this session at that moment.
  ///   - away: shows why that is not possible at present, every time.
  /// - Throws: what `look` throws the first time, and later what does not pass.
  func follow(
    _ kinds: [String]?, look: (Session) async throws -> Void, away: (String) throws -> Void
  ) async throws {
    // The time limit is for the first answer.
    if options.timeout == nil { ending.stopClock() }
    let (beats, beat) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let changes = Task { [client] in await Self.beat(beat, at: client, WatchRequest(kinds: kinds)) }
    let pulse = Task { while (try? await Task.sleep(for: Self.pulse)) != nil { beat.yield() } }
    let resized = DispatchSource.makeSignalSource(signal: SIGWINCH)
    resized.setEventHandler { beat.yield() }
    resized.resume()
    defer {
      changes.cancel()
      pulse.cancel()
      resized.cancel()
    }
    if terminal.size == nil || !isForPeople { Output.endWithReader() }
    var hasBegun = false
    beat.yield()
    for await _ in beats {
      let begin = ContinuousClock.now
      do {
        try await look(atThisMoment)
        hasBegun = true
        try await Task.sleep(for: max(Self.pause, (ContinuousClock.now - begin) * Self.share))
      } catch {
        guard hasBegun, let reason = reason(error) else { throw error }
        try away(reason)
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Says that something has changed, as long as somebody wants to know.
  private static func beat(
    _ beat: AsyncStream<Void>.Continuation, at client: BatonClient, _ request: WatchRequest
  ) async {
    repeat {
      do {
        for try await _ in try await client.watch(request) { beat.yield() }
      } catch {
        // Looking says better what is wrong.
      }
      beat.yield()
    } while (try? await Task.sleep(for: wait)) != nil
  }

  /// The same session with the times of this moment.
  private var atThisMoment: Session {
    var session = self
    if times.now != nil { session.times = Times(isExact: false) }
    return session
  }

  /// What is wrong, in a sentence, when it is worth another look; nil when it does not pass.
  private func reason(_ error: any Error) -> String? {
    switch error {
    case VarlinkClient.Failure.notPermitted: nil
    case let failure as VarlinkClient.Failure: Sentence.of(failure, options.path, within: options.timeout)
    case let error as VarlinkError
    where ["Busy", "StorageUnavailable", "TooManyConnections"].contains { error.name.hasSuffix(".\($0)") }:
      Sentence.of(error)
    default: nil
    }
  }
}

/// Where what is followed is shown: in its place on a terminal. Elsewhere each change has a line, and only that the daemon is away is said
/// here.
struct FollowedView {
  private let session: Session
  private var canvas: Canvas
  private var lines: [String] = []
  private var isAway = false

  init(_ session: Session) {
    self.session = session
    canvas = Canvas(session.terminal)
  }

  /// Whether it is drawn.
  var isDrawn: Bool { session.isForPeople && session.terminal.size != nil }

  /// Draws lines over those of before, as many as there is room for.
  /// - Throws: `Output.Failure`.
  mutating func draw(_ lines: [String]) throws {
    (self.lines, isAway) = (lines, false)
    try draw(note: nil)
  }

  /// To be called when there was an answer and nothing is drawn.
  mutating func isBack() { isAway = false }

  /// Says that there is no answer at present, below what was there to see before.
  /// - Throws: `Output.Failure`.
  mutating func away(_ reason: String) throws {
    if isDrawn {
      try draw(note: "not up to date: \(reason)")
    } else if session.isForPeople, !isAway {
      Output.error("batonctl: \(reason.shown)")
    }
    isAway = true
  }

  private mutating func draw(note: String?) throws {
    let room = max(1, (session.terminal.size?.rows ?? 2) - (note == nil ? 1 : 2))
    var shown = lines
    if lines.count > room {
      shown = lines.prefix(room - 1) + ["… and \(lines.count - room + 1) more; a taller terminal shows them"]
    }
    if let note { shown.append(session.terminal.paint(note.shown, .yellow)) }
    session.ending.willWrite(isResult: false)
    try canvas.draw(shown)
  }
}
