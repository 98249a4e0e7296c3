import TestTools
import Testing

@testable import Channels

/// Runs the commands of a transcript against one machine.
protocol TranscriptPlayer {
  init()
  var now: Timestamp { get set }
  /// The time at which the machine's next timer is due.
  var timer: Timestamp? { get }
  /// The last line of each block: how the machine is.
  var state: String { get }
  /// The output of a command; `advance` never comes here.
  mutating func perform(_ command: String) throws -> [String]
  /// The output when a timer is due.
  mutating func fireTimer() -> [String]
}

/// A command that no player knows.
struct UnknownCommand: Error { let text: String }

extension TranscriptPlayer {
  /// Plays the transcript with this name, and records an issue if anything else comes out.
  static func play(_ name: String) throws {
    let transcript = try Transcript(name, beside: #filePath)
    #expect(!transcript.blocks.isEmpty)
    var player = Self()
    let difference = try transcript.difference { try player.run($0) }
    #expect(difference == nil, "\(difference ?? "")")
  }

  private mutating func run(_ commands: [String]) throws -> [String] {
    var output: [String] = []
    for command in commands {
      output += command.hasPrefix("advance ") ? advance(to: now + duration(of: command)) : try perform(command)
    }
    return output + [state]
  }

  private mutating func advance(to end: Timestamp) -> [String] {
    var output: [String] = []
    while let due = timer, due <= end {
      now = max(now, due)
      output += fireTimer()
    }
    now = end
    return output
  }

  /// The duration in a command such as `advance 30s`.
  func duration(of command: String) -> Duration {
    .seconds(Int64(command.drop { $0 != " " }.dropFirst().dropLast()) ?? 0)
  }

  /// The words of a command for an event, and the number of the operation that it answers: the latest, or, if it is stale, the one before.
  func event(in command: String, latest: Int) -> (words: [String], operation: Int) {
    var words = command.split(separator: " ", maxSplits: 2).map(String.init)
    guard words[0].hasSuffix("(stale)") else { return (words, latest) }
    words[0] = String(words[0].dropLast(7))
    return (words, latest - 1)
  }

  func seconds(_ time: Timestamp) -> String { "\(Double(time.milliseconds) / 1000)s" }
}

extension StatusTransition {
  /// Cause and detail as the end of a line.
  var reason: String {
    let reason = [cause?.rawValue, detail].compactMap { $0 }.filter { !$0.isEmpty }
    return reason.isEmpty ? "" : ": \(reason.joined(separator: ", "))"
  }
}
