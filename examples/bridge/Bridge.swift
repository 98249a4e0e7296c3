import BatonClient
import ControlAPI
import Foundation
import StrictJSON

/// Prints what is said in one channel, a JSON document on each line: first the newest messages that there are, then those to come. Another
/// program carries them on.
@main
enum Bridge {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let channel = arguments.first.flatMap({ Int64($0) }), arguments.count == 1 else {
      FileHandle.standardError.write(Data("usage: bridge CHANNEL, a channel's id; the socket is $BATON_SOCKET\n".utf8))
      exit(64)
    }
    let socket = ProcessInfo.processInfo.environment["BATON_SOCKET"] ?? BatonClient.defaultSocket
    let conversation = LiveMessages(channelID: channel, socket: socket)
    await conversation.start()
    // A message that was shown once is not shown again, whatever happens to the connection.
    var printed: Set<Int64> = []
    for await event in conversation.events {
      switch event {
      case .changes(let changes):
        // The newest message is the first of the list, and the last to be printed.
        let new = changes.compactMap { change in if case .insert(let message, _) = change { message } else { nil } }
        for message in new.sorted(by: { ($0.place, $0.id) < ($1.place, $1.id) }) { try write(message, &printed) }
      case .replaced(let messages):
        for message in messages.reversed() { try write(message, &printed) }
      case .state(let state):
        if case .failed(let reason) = state { FileHandle.standardError.write(Data("waiting: \(reason)\n".utf8)) }
      case .conversation: break
      }
    }
  }

  private static func write(_ message: Message, _ printed: inout Set<Int64>) throws {
    guard printed.insert(message.id).inserted else { return }
    var line: [String: JSONValue] = [
      "id": .integer(message.id), "time": .string(message.time), "author": .string(message.author),
      "text": .string(message.text),
      "own": .bool(message.own),
    ]
    line["name"] = message.authorName.map(JSONValue.string)
    line["answers"] = message.replyTo.map { .integer(Int64($0)) }
    FileHandle.standardOutput.write(Data((JSONValue.object(line).text + "\n").utf8))
  }
}
