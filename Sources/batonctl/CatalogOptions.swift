internal import ArgumentParser
internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import StrictJSON
internal import Varlink

/// The options that all lists share.
struct ListOptions: ParsableArguments {
  @OptionGroup var table: TableOptions
  @Flag(
    help:
      "Keep running and refresh on every change. Piped output prints one line per change, marked +, ~ or -."
  )
  var watch = false
  @Option(help: "Condition in JSON, such as '{\"enabled\": true}' or '{\"phase\": \"degraded\"}'.") var filter: String?
  @Option(help: "Field to sort by. --sort=-FIELD reverses the order. May be repeated.") var sort: [String] =
    []

  func validate() throws {
    if watch { try table.show.checkStream("--watch", "a table") }
    guard let filter else { return }
    let json: JSONValue
    do { json = try JSONParser.parse(filter) } catch {
      throw ValidationError("--filter must be a JSON object such as '{\"phase\": \"degraded\"}': \(error).")
    }
    guard json.object != nil else {
      throw ValidationError("--filter must be a JSON object such as '{\"phase\": \"degraded\"}'.")
    }
  }

  /// The condition of the filter combined with `others`, or `nil` if all objects are wanted.
  func condition(_ others: [JSONValue?]) -> JSONValue? {
    Words.all([filter.flatMap { try? JSONParser.parse($0) }] + others)
  }

  var order: [JSONValue]? {
    guard !sort.isEmpty else { return nil }
    return sort.map { key in
      ["field": .string(key.hasPrefix("-") ? String(key.dropFirst()) : key), "direction": key.hasPrefix("-") ? -1 : 1]
    }
  }
}

/// The options `--enabled` and `--disabled`.
enum Enablement: String, EnumerableFlag {
  case enabled, disabled

  static func help(for value: Enablement) -> ArgumentHelp? { "Only \(value.rawValue) ones." }

  var condition: JSONValue { ["enabled": .bool(self == .enabled)] }
}

/// A role on a command line: `--smp-role storage=off`.
struct RoleChange: ExpressibleByArgument {
  let name: String
  let isOn: Bool

  /// All valid values.
  static let all = ["storage", "proxy", "names"].flatMap { ["\($0)=on", "\($0)=off"] }

  init?(argument: String) {
    guard Self.all.contains(argument) else { return nil }
    let parts = argument.split(separator: "=").map(String.init)
    name = parts[0]
    isOn = parts[1] == "on"
  }

  static func overrides(_ changes: [RoleChange]) -> RoleOverrides? {
    guard !changes.isEmpty else { return nil }
    var roles = RoleOverrides()
    for change in changes {
      switch change.name {
      case "storage": roles.storage = change.isOn
      case "proxy": roles.proxy = change.isOn
      default: roles.names = change.isOn
      }
    }
    return roles
  }
}

extension Session {
  /// The id of the operator to assign to: 0 for `auto`, which lets the domains decide.
  func assignment(_ name: String?) async throws -> Int64? {
    guard let name else { return nil }
    return name == "auto" ? 0 : try await provider(name).id
  }

  /// The condition that objects belong to an operator. `own` stands for objects without an operator.
  func ownership(_ name: String?) async throws -> JSONValue? {
    guard let name else { return nil }
    return ["operatorId": name == "own" ? ["$exists": false] : .integer(try await provider(name).id)]
  }

  /// The names of operators, by id, from one call. Empty if they are not shown or no object has an operator.
  func operatorNames(_ ids: [Int64?]) async throws -> [Int64: String] {
    guard isForPeople, ids.contains(where: { $0 != nil }) else { return [:] }
    return Dictionary(try await client.operators.all().map { ($0.id, $0.name) }) { first, _ in first }
  }

  /// Reads an object and changes it. If someone else changed it between these steps, repeats both, because the new values do not depend on
  /// the old ones.
  func changing<Object, Result>(
    _ read: () async throws -> Object, _ change: (Object) async throws -> Result
  ) async throws -> Result {
    var attempts = 0
    while true {
      let object = try await read()
      do {
        return try await change(object)
      } catch let error as VarlinkError where error.kind == .staleRevision && attempts < 5 {
        attempts += 1
      }
    }
  }

  /// Runs tests one after the other and prints their steps. If a peer cannot be tested, that counts as a failed test, and the others
  /// continue.
  /// - Returns: whether all passed.
  func runTests(
    _ tests: [(title: String, steps: () async throws -> any AsyncSequence<TestReply, any Error> & Sendable)]
  ) async throws -> Bool {
    var allPassed = true
    for test in tests {
      try say(test.title)
      var count = 0
      do {
        for try await reply in try await test.steps() {
          guard let step = reply.step else { continue }
          count += 1
          allPassed = allPassed && step.passed
          try draw(step, of: test.title)
        }
        allPassed = allPassed && count > 0
      } catch let error as VarlinkError where tests.count > 1 {
        allPassed = false
        try draw(TestStep(name: "test", durationMilliseconds: 0, passed: false, detail: Sentence.of(error)), of: test.title)
      }
    }
    return allPassed
  }

  private func draw(_ step: TestStep, of title: String) throws {
    // In JSON each line names the peer of the step.
    var json = try step.json.object ?? [:]
    json["of"] = .string(title)
    try showNext(JSONValue.object(json)) {
      let mark = terminal.paint(step.passed ? Marks.current.done : Marks.current.failed, step.passed ? .green : .red)
      let time = String(format: "%7.1f ms", step.durationMilliseconds)
      let cause = step.cause.map { "(\($0)) " } ?? ""
      return "  \(mark) \(step.name.padding(toLength: 9, withPad: " ", startingAt: 0)) \(time)  \(cause)\(step.detail)"
    }
  }

  /// Lines that operators, servers and relays share.
  static func originLines(preset: Bool, undeclared: Bool, file: String?) -> [String] {
    guard preset else { return [] }
    return undeclared ? ["declared  no longer"] : ["declared  in \(file ?? "?")"]
  }
}
