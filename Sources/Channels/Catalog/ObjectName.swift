/// The rules for the names of operators and relays, which people type to refer to them.
public enum ObjectName {
  public static let charactersMax = 100

  public struct Invalid: Error, Hashable, Sendable {
    /// A sentence about the necessary change.
    public let reason: String
  }

  /// The name in normal form, without white space around it and with single spaces inside, or its error.
  public static func validated(_ text: String) throws(Invalid) -> String {
    let name = VisibleName.normalized(text)
    guard name.count <= charactersMax, name.utf8.count <= 4 * charactersMax else {
      throw Invalid(reason: "the name has more than \(charactersMax) characters")
    }
    if let fault = VisibleName.fault(in: name) { throw Invalid(reason: fault) }
    guard !name.unicodeScalars.allSatisfy({ (0x30...0x39).contains($0.value) }) else {
      throw Invalid(reason: "the name is a number, which would be taken for an identifier")
    }
    return name
  }

  /// The name without the characters that are not seen by themselves. Names with equal keys could be mixed up.
  public static func key(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
  }
}
