internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import Glibc
internal import StrictJSON
internal import Varlink

/// The options of every command, and their effects.
struct GlobalOptions: ParsableArguments {
  @Option(help: "Path of the control socket. Default: $BATON_SOCKET, else /run/batond/control.", completion: .file())
  var socket: String?

  @Flag(help: "Print one JSON document, or one per line for streams.")
  var json = false

  @Flag(name: .customLong("no-color"), help: "Print without colours, as with $NO_COLOR.")
  var noColor = false

  @Flag(help: "Print results and errors only.")
  var quiet = false

  @Flag(name: .customLong("no-pager"), help: "Do not use a pager, as with an empty $BATON_PAGER.")
  var noPager = false

  @Option(
    help: """
      Time limit, such as 500ms, 10s or 5min. Default: 45s for each answer of the daemon, up to 20min for commands that wait for relays, \
      none for streams and imports.
      """)
  var timeout: TimeSpan?

  var path: String { Self.path(socket) }

  /// - Parameter socket: the socket on the command line, if there is one.
  static func path(_ socket: String?) -> String {
    BatonClient.path(of: socket)
  }

  /// How long to repeat a call that the daemon did not process. A restarting daemon is back sooner.
  fileprivate static let persistence = Duration.seconds(10)

  /// Connects, runs `body`, and turns errors into one sentence and an exit status.
  /// - Parameters:
  ///   - show: the form in which to print the result, or `nil` if only `--json` can change it.
  ///   - limit: the time limit if the command line does not set one.
  ///   - canInterrupt: whether to print a message on Ctrl-C, because the daemon continues.
  ///   - waits: whether to wait for a daemon that does not answer yet.
  func connected(
    _ show: ShowOptions? = nil, limit: TimeSpan? = nil, canInterrupt: Bool = false, waits: Bool = false,
    _ body: (Session) async throws -> Void
  ) async throws {
    let format = try format(show)
    let isForPeople = OutputFormat.isForPeople(format)
    let ending = Ending(isJSON: format == .json)
    let deadline = (timeout ?? limit).map { ending.deadline(after: $0) }
    let interrupts = canInterrupt || format == .json ? ending.interrupts() : nil
    defer {
      deadline?.cancel()
      interrupts?.cancel()
    }
    do {
      let client = try await client(waits: waits)
      try await body(
        Session(
          client: isForPeople ? client.rewriting(\.shown) : client, raw: client, options: self, format: format,
          times: Times(isExact: show?.utc ?? false), terminal: Terminal(noColor: noColor || !isForPeople), ending: ending))
      await client.close()
    } catch let error as VarlinkError {
      ending.fail(error.name, Sentence.of(error), error.parameters)
      throw ExitCode(error.status)
    } catch let error as VarlinkClient.Failure {
      let (name, status) = error.ending
      ending.fail(name, Sentence.of(error, path, within: timeout))
      throw ExitCode(status)
    } catch let error as Refusal {
      ending.fail(error.name, error.text, error.parameters)
      throw ExitCode(error.status)
    } catch let error as Output.Failure {
      ending.fail("local.OutputFailed", error.reason, isResultLost: true)
      throw ExitCode(Output.Failure.status)
    } catch let error as JSONShapeError {
      ending.fail(
        "local.NotUnderstood", "the program that answers at \(path) is not a daemon that this batonctl understands: \(error)")
      throw ExitCode(69)
    }
  }
}

extension GlobalOptions {
  /// The wait between two checks whether the daemon is there.
  private static let look = Duration.milliseconds(50)

  /// A connection to a daemon that replies. An unresponsive daemon is detected here, even for commands that then wait for a stream.
  private func client(waits: Bool) async throws -> BatonClient {
    while true {
      do {
        let client = try await BatonClient(
          socket: path, timeout: timeout?.duration ?? .seconds(45), persistence: Self.persistence)
        try await client.service.ping()
        return client
      } catch let failure as VarlinkClient.Failure where waits {
        switch failure {
        case .notReachable, .disconnected, .notTaken: try await Task.sleep(for: Self.look)
        case .notPermitted, .timedOut, .protocolBroken: throw failure
        }
      }
    }
  }
}

extension VarlinkError {
  /// The exit status of a command that ends with this error.
  var status: Int32 { name == VarlinkError.permissionDenied.name ? 77 : 1 }
}

extension VarlinkClient.Failure {
  /// The name of the error and the exit status of a command that ends with it.
  var ending: (name: String, status: Int32) {
    switch self {
    case .timedOut: ("local.TimedOut", 75)
    case .notPermitted: ("local.NotPermitted", 77)
    case .notReachable, .disconnected, .notTaken, .protocolBroken: ("local.NotReachable", 69)
    }
  }
}

/// A refusal by batonctl itself.
struct Refusal: Error {
  let text: String
  var status: Int32 = 1
  var name = "local.Refused"
  var parameters: [String: JSONValue] = [:]
}

/// One command's connection and output.
struct Session: Sendable {
  /// The client that returns texts escaped for display, so that no command can forget to escape them.
  let client: BatonClient
  /// The client that returns unchanged texts, for texts that are sent back to the daemon or written into a file.
  let raw: BatonClient
  let options: GlobalOptions
  /// The form of the result, or `nil` for people.
  let format: OutputFormat?
  var times: Times
  let terminal: Terminal
  let ending: Ending

  /// Prints the result in its form for programs or for people.
  /// - Parameter isPaged: whether a text that is longer than the terminal is shown page by page. Otherwise its end remains visible.
  func show(_ value: some Encodable, isPaged: Bool = true, _ text: () -> String) throws {
    let document = try document(value)
    let text = document ?? text()
    ending.willWrite(isResult: true)
    if document == nil, isPaged, page(text) { return }
    // Without names there is no output, not even an empty line.
    if format != .name || !text.isEmpty { try Output.line(text) }
  }

  /// Shows output that is longer than the terminal page by page.
  /// - Returns: whether it was shown in this way.
  private func page(_ text: String) -> Bool {
    // The last row is needed for the prompt.
    guard !options.noPager, let size = terminal.size, text.rows(in: size.columns) >= size.rows, let pager = Pager() else {
      return false
    }
    return ending.leavingCtrlC { pager.show(text + "\n") }
  }

  /// Prints one of many results: as a line of JSON, or for people.
  func showNext(_ value: some Encodable, _ text: () -> String) throws {
    let text = format == .json ? try value.json.text.shownJSON : text()
    ending.willWrite(isResult: false)
    try Output.line(text)
  }

  /// Prints a message that is not the result.
  func say(_ text: String) throws {
    guard !options.quiet, isForPeople else { return }
    ending.willWrite(isResult: false)
    try Output.line(text)
  }

  /// Asks for confirmation on a terminal. Without a terminal the answer is yes only with `--yes`.
  func confirm(_ question: String, isDefault: Bool, yes: Bool) throws {
    if yes { return }
    guard terminal.isInteractive, isForPeople else {
      if isDefault { return }
      throw Refusal(text: "\(question) Use --yes to continue.", status: 64)
    }
    ending.stopClock()
    try Output.write("\(question.shown) [\(isDefault ? "Y/n" : "y/N")] ")
    let answer = (readLine() ?? "").lowercased()
    guard answer.hasPrefix("y") || answer.isEmpty && isDefault else { throw Refusal(text: "nothing was done") }
  }
}
