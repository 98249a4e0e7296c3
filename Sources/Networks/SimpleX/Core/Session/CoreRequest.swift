internal import StrictJSON

/// A command in the form in which the core reads it from a WebSocket.
enum CoreRequest {
  /// - Parameter correlation: the number that is returned with the answer.
  /// - Returns: a JSON text, which may contain passwords.
  static func text(correlation: String, _ command: CoreCommand) -> String {
    JSONValue.object(["corrId": .string(correlation), "cmd": .string(command.text)]).text
  }
}
