internal import StrictJSON

// The core's rule for names: it drops the characters that it does not accept.
extension CoreModel {
  private static let prohibited = Set(".,;/\\#@'\"`~".unicodeScalars)

  /// The name after the core's rule. A name that the rule changes is refused.
  public static func validName(_ name: String) -> String {
    var kept: [Unicode.Scalar] = []
    // The number of consecutive punctuation marks, ignoring spaces.
    var marks = 0
    for given in name.unicodeScalars {
      let scalar: Unicode.Scalar = given.properties.isWhitespace ? " " : given
      let category = scalar.properties.generalCategory
      let isPunctuation = [.connectorPunctuation, .dashPunctuation, .otherPunctuation].contains(category)
      let isFirst =
        [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .otherSymbol]
        .contains(category)
      let isInner = isFirst || category == .currencySymbol || category == .mathSymbol
      let isMark = [.nonspacingMark, .spacingMark, .enclosingMark].contains(category)
      let isValid =
        switch kept.last {
        case _ where prohibited.contains(scalar): false
        case nil: isFirst
        case " "?: isInner || marks == 0 && isPunctuation
        case _ where marks > 0: isInner || scalar == " "
        default: isInner || scalar == " " || isMark || isPunctuation
        }
      guard isValid else { continue }
      kept.append(scalar)
      if isPunctuation { marks += 1 } else if scalar != " " { marks = 0 }
    }
    var name = kept.prefix(50)
    while name.last == " " { name.removeLast() }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: name)
    return String(text)
  }

  /// The answer to a command with a name that the core refuses; nil if it accepts the name.
  func nameRefusal(_ name: String) -> JSONValue? {
    let valid = Self.validName(name)
    // Code points count, not appearance.
    guard valid.isEmpty || !valid.unicodeScalars.elementsEqual(name.unicodeScalars) else { return nil }
    return CoreErrors.answer(
      CoreErrors.own("invalidDisplayName", ["displayName": .string(name), "validName": .string(valid)]))
  }
}
