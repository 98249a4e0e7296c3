internal import ControlAPI
internal import Sentences
internal import Varlink

/// One clear sentence for each error: what happened, to what, and what to do.
enum Sentence {
  /// - Parameters:
  ///   - path: the path of the socket.
  ///   - limit: the time limit, if the command line set one.
  static func of(_ error: VarlinkClient.Failure, _ path: String, within limit: TimeSpan? = nil) -> String {
    error.sentence(at: path, within: limit?.text).text.shown
  }

  static func of(_ error: VarlinkError) -> String {
    // The fields may contain text from relays, arguments, or anything if a program other than the daemon answers.
    VarlinkError(error.name.shown, error.parameters.mapValues(\.shown)).sentence.text
  }
}
