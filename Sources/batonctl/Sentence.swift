internal import ControlAPI
internal import Sentences
internal import Varlink

/// One clear sentence for each error: what happened, to what, and what to do.
enum Sentence {
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - limit: the time limit, if the command line set one.
  static func of(_ error: VarlinkClient.Failure, _ path: String, within limit: TimeSpan? = nil) -> String {
    let path = path.shown
    return switch error {
    case .notReachable(let reason): "\(reason); is batond running? Name another socket with --socket or $BATON_SOCKET"
    case .notPermitted(let reason): "\(reason); root may use it, and users who may open the socket"
    case .disconnected: "the daemon closed the connection; whether it carried out the request is not known"
    case .notTaken: "the daemon closed the connection and did not take the call; try again"
    case .timedOut: limit.map { "the daemon did not answer within \($0.text)" } ?? "the daemon did not answer in time"
    case .protocolBroken(let reason): "the program that answers at \(path) does not speak Varlink: \(reason.shown)"
    }
  }

  static func of(_ error: VarlinkError) -> String {
    // The fields may contain text from relays, arguments, or anything if a program other than the daemon answers.
    VarlinkError(error.name.shown, error.parameters.mapValues(\.shown)).sentence.text
  }
}
