public import Sentences
internal import StrictJSON
public import Varlink

// Sentences for errors whose fields have types of an interface. All others stand in the module Sentences. An error without a sentence does
// not compile.
extension RefusalSentence {
  static func staleRevision(current: Operator?) -> Self { staleRevision(of: current.map { "operator \($0.id)" }) }
  static func staleRevision(current: Server?) -> Self { staleRevision(of: current.map { "server \($0.id)" }) }
  static func staleRevision(current: Relay?) -> Self { staleRevision(of: current.map { "relay \($0.id)" }) }
  static func staleRevision(current: JSONValue) -> Self {
    staleRevision(of: current["id"]?.integer.map { "channel \($0)" })
  }

  static func notInChannel(relayId: Int64, relayName: String) -> Self { notInChannel(relay: "the relay '\(relayName)'") }
  static func validationFailed(findings: [Finding]) -> Self { validationFailed(findings.map(\.message)) }
  static func invalidConfiguration(problems: [Problem]) -> Self { invalidConfiguration(problems.map(\.words)) }
  static func invalidConfiguration(reason: String) -> Self { invalidConfiguration([reason]) }
}

extension Problem {
  /// The problem with its place, as editors understand it.
  fileprivate var words: String {
    ([file] + [line, column].compactMap { $0.map { String($0) } }).joined(separator: ":") + ": \(text)"
  }
}

extension RefusalSentence {
  /// An error of Varlink's own, or an error that this version does not know.
  static func of(service error: VarlinkError) -> Self {
    switch error.name {
    case VarlinkError.permissionDenied.name: .permissionDenied
    case VarlinkError.invalidParameter("").name: .invalidParameter(error.parameters["parameter"]?.string ?? "?")
    default: Self(error.description)
    }
  }
}

extension VarlinkError {
  /// The sentence for people about an error of any control interface.
  public var sentence: RefusalSentence {
    let type = Interfaces.refusals.first { name.hasPrefix($0.interface + ".") }
    return type?.init(self).sentence ?? .of(service: self)
  }
}

extension VarlinkClient.Failure {
  /// The sentence for people about a call that got no answer.
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - limit: the time limit in words, if someone has set one.
  public func sentence(at path: String, within limit: String? = nil) -> RefusalSentence {
    switch self {
    case .notReachable(let reason):
      RefusalSentence("\(reason). Is batond running?", "Name another socket with --socket or $BATON_SOCKET", after: " ")
    case .notPermitted(let reason): RefusalSentence(reason, "join the group of the socket, or be root")
    case .disconnected:
      RefusalSentence("the daemon closed the connection, so the outcome is unknown", "check whether the request took effect")
    case .notTaken: RefusalSentence("the daemon closed the connection before it handled the request", "try again")
    case .timedOut:
      RefusalSentence(limit.map { "the daemon did not answer within \($0)" } ?? "the daemon did not answer in time")
    case .protocolBroken(let reason): RefusalSentence("the program that answers at \(path) does not speak Varlink: \(reason)")
    }
  }
}
