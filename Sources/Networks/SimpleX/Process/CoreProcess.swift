internal import Channels
internal import Dialing
internal import Glibc
public import Logging
internal import RelayNetwork
internal import Synchronization

/// Runs a SimpleX Chat core and keeps it running: it is started again when it ends, with growing waits if it ends immediately, and ends
/// with Baton.
///
/// The core's port accepts everyone on this machine, so a core that runs as a separate service, from which others can be kept away, is
/// the better choice where other people have accounts.
public final class CoreProcess: Sendable {
  /// The reason why a core cannot be run like this.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence for people.
    public let description: String
  }

  private let words: [String]
  private let port: Int
  private let limits: CoreProcessLimits
  private let logger: Logger
  private let now: @Sendable () -> Timestamp

  /// - Parameters:
  ///   - program: the path of `simplex-chat`.
  ///   - database: the beginning of the names of its database files (`-d`). The folder must exist.
  ///   - displayName: the name of its user, who is created at the first start. The core ends if its active user has another name
  ///     (`--user-display-name`).
  ///   - port: the port on loopback (`-p`).
  ///   - extraArguments: further options. They can be read by every user of the machine.
  ///   - limits: the time limits.
  ///   - logger: gets starts and ends, and the output of the core except commands.
  /// - Throws: `Refusal` for a configuration that cannot work, and for a secret among the arguments.
  public convenience init(
    program: String, database: String, displayName: String, port: Int, extraArguments: [String] = [],
    limits: CoreProcessLimits = CoreProcessLimits(), logger: Logger
  ) throws(Refusal) {
    let begin = ContinuousClock.now
    try self.init(
      program: program, database: database, displayName: displayName, port: port, extraArguments: extraArguments,
      limits: limits, logger: logger,
      now: { Timestamp(milliseconds: (ContinuousClock.now - begin).wholeMilliseconds) })
  }

  init(
    program: String, database: String, displayName: String, port: Int, extraArguments: [String],
    limits: CoreProcessLimits, logger: Logger, now: @escaping @Sendable () -> Timestamp
  ) throws(Refusal) {
    guard !program.isEmpty, !database.isEmpty, !displayName.isEmpty else {
      throw Refusal(description: "a core needs a program, a database and a display name")
    }
    guard (1...65_535).contains(port) else {
      throw Refusal(description: "the core's port must be 1 to 65535, not \(port)")
    }
    // With closed input no one could answer whether to migrate.
    words = [program, "-d", database, "-p", "\(port)", "-y", "--user-display-name=\(displayName)"] + extraArguments
    guard words.allSatisfy({ !$0.utf8.contains(0) }) else {
      throw Refusal(description: "the core's arguments may hold no NUL")
    }
    guard !extraArguments.contains(where: Self.isSecret) else {
      throw Refusal(
        description:
          "a database key or a server's password among the core's arguments could be read by everyone on this machine")
    }
    self.port = port
    self.limits = limits
    self.logger = logger
    self.now = now
  }

  private static func isSecret(_ argument: String) -> Bool {
    if argument.hasPrefix("-k") || argument == "--key" || argument.hasPrefix("--key=") { return true }
    return argument.split { $0 == ";" || $0.isWhitespace }.contains { word in
      // The address may follow the option's name.
      [word, word.split(separator: "=", maxSplits: 1).last ?? word].contains { text in
        (try? SimpleXServerAddress.parse(String(text)))?.password != nil
      }
    }
  }

  /// Keeps the core running until cancelled. Returns when its process is gone. Call this once.
  public func run() async {
    var restart = CoreRestart(limits: limits, salt: .random(in: 0...UInt64.max))
    while !Task.isCancelled {
      restart.started(at: now())
      let child = CoreChild(words)
      let prints = Prints(logger, max: limits.noticeLinesMax)
      let ending = await run(child, prints)
      let (ran, wait) = restart.ended(at: now())
      guard !Task.isCancelled else {
        switch ending {
        case .notStarted: break
        case .killed(SIGKILL): logger.warning("the chat core did not end within \(limits.stopGrace.briefly) and was killed")
        case .exited, .killed: logger.notice("the chat core has ended")
        }
        return
      }
      let words = prints.last.map { ". Its last output was: \($0)" } ?? ""
      if case .notStarted(let reason) = ending {
        logger.error("the chat core \(self.words[0]) cannot be started: \(reason). The next try is in \(wait.briefly)")
      } else {
        logger.warning(
          "the chat core \(Self.words(for: ending)) after \(Self.brief(ran)). It is started again in \(wait.briefly)\(words)")
      }
      try? await Task.sleep(for: wait)
    }
  }

  private func run(_ child: CoreChild, _ prints: Prints) async -> CoreChild.Ending {
    let grace = limits.stopGrace
    let killer = Mutex<Task<Void, Never>?>(nil)
    let ending = await withTaskCancellationHandler {
      await child.run(
        started: { [logger, port] pid in logger.notice("the chat core was started: process \(pid), port \(port)") },
        output: { prints.take($0) })
    } onCancel: {
      guard child.signal(SIGTERM) else { return }
      let task = Task {
        try? await Task.sleep(for: grace)
        if !Task.isCancelled { child.signal(SIGKILL) }
      }
      killer.withLock { $0 = task }
    }
    killer.withLock { $0 }?.cancel()
    return ending
  }

  private static func words(for ending: CoreChild.Ending) -> String {
    switch ending {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
    case .notStarted(let reason): "was not started: \(reason)"
    }
  }

  private static func brief(_ time: Duration) -> String {
    time < .seconds(1) ? "less than a second" : "\(time.components.seconds) s"
  }

  /// The output of the core in one run.
  private final class Prints: Sendable {
    private let logger: Logger
    private let max: Int
    private let state = Mutex((count: 0, last: String?.none))

    /// - Parameter max: how many lines are logged for everyone.
    init(_ logger: Logger, max: Int) {
      self.logger = logger
      self.max = max
    }

    var last: String? { state.withLock { $0.last } }

    func take(_ line: String) {
      let count = state.withLock { state in
        state.count += 1
        state.last = line
        return state.count
      }
      logger.log(level: count <= max ? .info : .debug, "chat core: \(line)")
    }
  }
}
