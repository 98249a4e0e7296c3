internal import StrictJSON

/// A command as the core takes it from a WebSocket.
enum CoreRequest {
  /// - Parameter correlation: comes back with the answer.
  /// - Returns: a JSON text; it may hold passwords.
  static func text(correlation: String, _ command: CoreCommand) -> String {
    JSONValue.object(["corrId": .string(correlation), "cmd": .string(command.text)]).text
  }
}
