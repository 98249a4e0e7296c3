internal import BatonClient
internal import ControlAPI
internal import Dispatch
internal import Foundation
internal import Glibc
internal import Varlink

// Commands with --watch.
extension Session {
  /// The data that a command shows repeatedly.
  enum Subject: Sendable {
    /// Objects of these kinds, as `org.batond.Monitor.Watch` names them, or of all kinds if `nil`.
    case objects([String]?)
    /// Messages and conversations.
    case messages
  }

  /// The shortest time between two looks. People do not read faster.
  private static let pause = Duration.milliseconds(100)
  /// The pause after a look, as a multiple of its duration, because the daemon also serves other clients.
  private static let share = 4
  /// The longest time between two looks, because some of the shown data changes without an event.
  private static let pulse = Duration.seconds(5)
  /// The wait between attempts to reach a daemon that is away.
  private static let wait = Duration.seconds(1)

  /// Looks now, after every change, and after a while in any case, even if the daemon restarts. Ends only with an error.
  /// - Parameters:
  ///   - subject: the kind of data shown.
  ///   - look: reads and shows the objects, given this session at that moment.
  ///   - away: shows why that is currently impossible. Called after each failed look.
  /// - Throws: any error of the first `look`, and later errors that do not go away.
  func follow(
    _ subject: Subject, look: (Session) async throws -> Void, away: (String) throws -> Void
  ) async throws {
    // The time limit applies to the first reply.
    if options.timeout == nil { ending.stopClock() }
    let (beats, beat) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let changes = Task { [client] in await Self.beat(beat, at: client, subject) }
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
    ending.followed = .stream
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

  /// Reports that something has changed, while the stream is read.
  private static func beat(
    _ beat: AsyncStream<Void>.Continuation, at client: BatonClient, _ subject: Subject
  ) async {
    repeat {
      do {
        switch subject {
        case .objects(let kinds):
          for try await _ in try await client.monitor.watch(WatchRequest(kinds: kinds)) { beat.yield() }
        case .messages:
          for try await _ in try await client.messages.watch() { beat.yield() }
        }
      } catch {
        // The next look gives a better error.
      }
      beat.yield()
    } while (try? await Task.sleep(for: wait)) != nil
  }

  /// This session with times relative to the current moment.
  private var atThisMoment: Session {
    var session = self
    if times.now != nil { session.times = Times(isExact: false) }
    return session
  }

  /// A sentence about an error after which another look makes sense, or `nil` if the error is permanent.
  func reason(_ error: any Error) -> String? {
    switch error {
    case VarlinkClient.Failure.notPermitted: nil
    case let failure as VarlinkClient.Failure: Sentence.of(failure, options.path, within: options.timeout)
    case let error as VarlinkError:
      switch error.kind {
      case .busy, .storageUnavailable, .tooManyConnections: Sentence.of(error)
      default: nil
      }
    default: nil
    }
  }
}

/// The display of a followed object or list. On a terminal it is redrawn in place. Without a terminal each change has a line, and this
/// type only reports that the daemon is away.
struct FollowedView {
  private let session: Session
  private var canvas: Canvas
  private var lines: [String] = []
  private var isAway = false

  init(_ session: Session) {
    self.session = session
    canvas = Canvas(session.terminal)
  }

  /// Whether the display is redrawn in place.
  var isDrawn: Bool { session.isForPeople && session.terminal.size != nil }

  /// Replaces the lines drawn before, with as many as fit.
  /// - Throws: `Output.Failure`.
  mutating func draw(_ lines: [String]) throws {
    (self.lines, isAway) = (lines, false)
    try draw(note: nil)
  }

  /// Call this after a reply if nothing is drawn.
  mutating func isBack() { isAway = false }

  /// Reports below the lines shown before that the daemon currently does not reply.
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
      shown =
        lines.prefix(room - 1) + ["\(Marks.current.ellipsis) and \(lines.count - room + 1) more: a taller terminal shows them"]
    }
    if let note { shown.append(session.terminal.paint(note.shown, .yellow)) }
    session.ending.willWrite(isResult: false)
    try canvas.draw(shown)
  }
}
