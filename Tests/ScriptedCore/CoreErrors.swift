public import StrictJSON

/// Errors as a core writes them.
public enum CoreErrors {
  enum Shape: Hashable, Sendable {
    case deadLink, unreachable

    var isTemporary: Bool { self == .unreachable }
  }

  /// An error of the core itself: `tag` and its fields.
  public static func own(_ tag: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
    ["type": "error", "errorType": .object(more.merging(["type": .string(tag)]) { _, tag in tag })]
  }

  /// The core does not take a command as it is.
  public static func command(_ message: String) -> JSONValue { own("commandError", ["message": .string(message)]) }

  /// The core's database has no such thing.
  public static func store(_ tag: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
    ["type": "errorStore", "storeError": .object(more.merging(["type": .string(tag)]) { _, tag in tag })]
  }

  /// The agent's error when the relay at `address` cannot be invited or asked.
  static func agent(_ shape: Shape, address: String, entity: JSONValue? = nil) -> JSONValue {
    let host = address.split(separator: "/").dropFirst().first ?? "unknown.example"
    let server = JSONValue.string("smp://LcJUMfVhwD8yxjAiSaDzzGF3-kLG4Uh0Fl_ZIjrRwjI=@\(host)")
    let error: JSONValue =
      switch shape {
      case .deadLink: ["type": "SMP", "serverAddress": server, "smpErr": ["type": "AUTH"]]
      case .unreachable: ["type": "BROKER", "brokerAddress": server, "brokerErr": ["type": "TIMEOUT"]]
      }
    var members: [String: JSONValue] = ["type": "errorAgent", "agentError": error, "agentConnId": ""]
    members["connectionEntity_"] = entity
    return .object(members)
  }

  /// The answer to a command that failed.
  public static func answer(_ error: JSONValue) -> JSONValue { ["type": "chatCmdError", "chatError": error] }
}
