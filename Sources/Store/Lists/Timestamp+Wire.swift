package import Channels
internal import StrictJSON

extension Timestamp {
  /// Reads a time in exactly the form in which clients get it, so that comparing numbers and comparing texts agree.
  package init?(wireText text: String) {
    guard let milliseconds = RFC3339.milliseconds(text), RFC3339.text(milliseconds: milliseconds) == text else { return nil }
    self.init(milliseconds: milliseconds)
  }

  package var wireText: String { RFC3339.text(milliseconds: milliseconds) }
}
