internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import Glibc
internal import StrictJSON
internal import Varlink

/// Options of every command, and what they lead to.
struct GlobalOptions: ParsableArguments {
  @Option(help: "Path of the control socket. Default: $BATON_SOCKET, else /run/batond/control.")
  var socket: String?

  @Flag(help: "Print one JSON document, or one per line for streams.")
  var json = false

  @Flag(name: .customLong("no-color"), help: "Print without colours; so does $NO_COLOR.")
  var noColor = false

  @Flag(help: "Print results and errors only.")
  var quiet = false

  var path: String {
    let named = socket ?? ProcessInfo.processInfo.environment["BATON_SOCKET"]
    return named.map { $0.hasPrefix("unix:") ? String($0.dropFirst(5)) : $0 } ?? BatonClient.defaultSocket
  }

  /// Connects, runs `body`, and turns errors into one sentence and an exit status.
  func connected(_ body: (Session) async throws -> Void) async throws {
    do {
      let client = try await BatonClient(socket: path)
      try await body(Session(client: client, options: self, terminal: Terminal(noColor: noColor || json)))
      await client.close()
    } catch let error as VarlinkError {
      throw fail(error)
    } catch let error as VarlinkClient.Failure {
      let status: Int32 = error == .timedOut ? 75 : 69
      printError(name: "local.\(status == 75 ? "TimedOut" : "NotReachable")", Sentence.of(error, path), [:])
      throw ExitCode(status)
    } catch let error as Refusal {
      printError(name: "local.Refused", error.text, [:])
      throw ExitCode(error.status)
    }
  }

  private func fail(_ error: VarlinkError) -> ExitCode {
    printError(name: error.name, Sentence.of(error), error.parameters)
    return ExitCode(error.name == VarlinkError.permissionDenied.name ? 77 : 1)
  }

  private func printError(name: String, _ text: String, _ parameters: [String: JSONValue]) {
    let line =
      json
      ? JSONValue.object(["error": .string(name), "parameters": .object(parameters), "message": .string(text)]).text
      : "batonctl: \(text)"
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}

/// A refusal of batonctl's own.
struct Refusal: Error {
  let text: String
  var status: Int32 = 1
}

/// One command's connection and output.
struct Session: Sendable {
  let client: BatonClient
  let options: GlobalOptions
  let terminal: Terminal

  /// Prints a result: as JSON, or as people like it.
  func show(_ value: some Encodable, _ text: () -> String) throws {
    print(options.json ? try value.json.text : text())
  }

  /// Prints something that is not the result.
  func say(_ text: String) {
    if !options.quiet, !options.json { print(text) }
  }

  func relay(_ name: String) async throws -> Relay {
    if let id = Int64(name) { return try await client.relay(id: id) }
    return try await client.relay(name: name)
  }

  func channel(_ name: String) async throws -> Channel {
    if let id = Int64(name) { return try await client.channel(id: id) }
    return try await client.channel(name: name)
  }

  /// Asks on a terminal; anywhere else the answer is yes only when `--yes` was given.
  func confirm(_ question: String, isDefault: Bool, yes: Bool) throws {
    if yes { return }
    guard terminal.isInteractive else {
      if isDefault { return }
      throw Refusal(text: "\(question) Say --yes to go on.", status: 64)
    }
    print("\(question) [\(isDefault ? "Y/n" : "y/N")] ", terminator: "")
    flush()
    let answer = (readLine() ?? "").lowercased()
    guard answer.hasPrefix("y") || answer.isEmpty && isDefault else { throw Refusal(text: "nothing was done") }
  }
}
