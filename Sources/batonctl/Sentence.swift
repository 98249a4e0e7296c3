internal import ControlAPI
internal import Sentences
internal import Varlink

/// One clear sentence for each error: the problem, the object, and the remedy.
enum Sentence {
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - limit: the time limit, if the command line set one.
  static func of(_ error: VarlinkClient.Failure, _ path: String, within limit: TimeSpan? = nil) -> String {
    error.sentence(at: path, within: limit?.text).text.shown
  }

  static func of(_ error: VarlinkError) -> String {
    // The fields may contain text from relays or arguments, or any text if the server is not the daemon.
    VarlinkError(error.name.shown, error.parameters.mapValues(\.shown)).sentence.text
  }
}
