public import StrictJSON

/// What becomes of a file that goes along with posts.
public enum FileBehaviour: Hashable, Sendable {
  /// Servers take it.
  case good
  /// It is being uploaded until `uploadAgain`.
  case slow
  /// The core tries again and again, and says this of each try.
  case warns(JSONValue)
  /// The core gives up, with this reason.
  case fails(JSONValue)
  /// Someone cancels the upload.
  case cancelled
  /// There is no such file.
  case missing
  /// It is larger than the core sends.
  case tooLarge
}
