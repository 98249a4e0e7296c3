/// A recursive-descent parser for `IDL`. By default it refuses constructs that some tools cannot read.
struct IDLParser {
  private let characters: [Character]
  private let text: String
  private let isPortable: Bool
  private var at = 0
  private var line = 1
  /// The comment lines directly above the present position.
  private var comment: [String] = []

  init(_ text: String, grammar: IDL.Grammar) {
    self.text = text
    isPortable = grammar == .portable
    characters = Array(text)
  }

  mutating func interface() throws(IDL.ParseError) -> IDL.Interface {
    skip()
    try word("interface")
    skip()
    let name = take { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }
    guard name.split(separator: ".").count >= 2 else { throw failure("the interface name needs at least two parts") }
    var members: [IDL.Member] = []
    var names: Set<String> = []
    skip()
    while at < characters.count {
      let above = comment.joined(separator: "\n")
      let keyword = take(while: \.isLetter)
      skip()
      let memberName = take { $0.isLetter || $0.isNumber }
      guard memberName.first?.isUppercase == true else { throw failure("a name after '\(keyword)' must begin with a capital") }
      guard names.insert(memberName).inserted else { throw failure("'\(memberName)' is defined twice") }
      skip()
      switch keyword {
      case "type": members.append(try typeMember(memberName, above))
      case "method":
        let input = try fields()
        skip()
        try symbol("-")
        try symbol(">")
        skip()
        members.append(.method(IDL.Method(name: memberName, input: input, output: try fields(), comment: above)))
      case "error": members.append(.error(IDL.Structure(name: memberName, fields: try fields(), comment: above)))
      default: throw failure("'\(keyword)' begins no member")
      }
      comment = []
      skip()
    }
    return IDL.Interface(name: name, text: text, members: members)
  }

  private mutating func typeMember(_ name: String, _ above: String) throws(IDL.ParseError) -> IDL.Member {
    switch try fieldsOrValues() {
    case .structure(let fields):
      guard !fields.isEmpty || !isPortable else { throw failure("the type '\(name)' is empty, some tools cannot read that") }
      return .structure(IDL.Structure(name: name, fields: fields, comment: above))
    case .enumeration(let values): return .enumeration(name: name, values: values, comment: above)
    default: throw failure("the type '\(name)' must be a structure or an enumeration")
    }
  }

  private mutating func fields() throws(IDL.ParseError) -> [IDL.Field] {
    guard case .structure(let fields) = try fieldsOrValues() else { throw failure("expected fields") }
    return fields
  }

  private mutating func fieldsOrValues() throws(IDL.ParseError) -> IDL.FieldType {
    try symbol("(")
    comment = []
    skip()
    if peek == ")" {
      at += 1
      return .structure([])
    }
    var fields: [IDL.Field] = []
    var values: [String] = []
    while true {
      let above = comment.joined(separator: "\n")
      let name = take { $0.isLetter || $0.isNumber || $0 == "_" }
      guard name.first?.isLetter == true, !name.hasSuffix("_"), !name.contains("__") else {
        throw failure("'\(name)' is not the name of a field")
      }
      skip()
      if peek == ":" {
        at += 1
        skip()
        fields.append(IDL.Field(name: name, type: try type(), comment: above))
      } else {
        values.append(name)
      }
      let before = comment.count
      skip()
      guard comment.count == before || !isPortable else {
        throw failure("some tools cannot read a comment after a field")
      }
      comment = []
      guard peek == "," else { break }
      at += 1
      skip()
    }
    try symbol(")")
    guard fields.isEmpty || values.isEmpty else { throw failure("fields and values are mixed") }
    return fields.isEmpty ? .enumeration(values) : .structure(fields)
  }

  private mutating func type() throws(IDL.ParseError) -> IDL.FieldType {
    if peek == "?" {
      at += 1
      guard peek != "?" else { throw failure("'??' is not a type") }
      return .optional(try type())
    }
    if peek == "[" {
      at += 1
      let isMap = peek != "]"
      if isMap { try word("string") }
      try symbol("]")
      guard !isPortable || (peek != "[" && peek != "?") else { throw failure("some tools cannot read nested arrays") }
      let element = try type()
      if isPortable, case .structure(let fields) = element, fields.isEmpty {
        throw failure("some tools cannot read string sets")
      }
      return isMap ? .map(element) : .array(element)
    }
    if peek == "(" { return try fieldsOrValues() }
    let name = take { $0.isLetter || $0.isNumber }
    switch name {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    default:
      guard name.first?.isUppercase == true else { throw failure("'\(name)' is not a type") }
      return .named(name)
    }
  }

  // MARK: - Characters

  private var peek: Character? { at < characters.count ? characters[at] : nil }

  private func failure(_ reason: String) -> IDL.ParseError { IDL.ParseError(line: line, reason: reason) }

  private mutating func take(while matches: (Character) -> Bool) -> String {
    let start = at
    while let character = peek, matches(character) { at += 1 }
    return String(characters[start..<at])
  }

  private mutating func word(_ word: String) throws(IDL.ParseError) {
    guard take(while: \.isLetter) == word else { throw failure("expected '\(word)'") }
  }

  private mutating func symbol(_ symbol: Character) throws(IDL.ParseError) {
    guard peek == symbol else { throw failure("expected '\(symbol)'") }
    at += 1
  }

  /// Skips white space and collects comments.
  private mutating func skip() {
    while let character = peek {
      if character == "#" {
        at += 1
        let text = take { !$0.isNewline }
        comment.append(text.hasPrefix(" ") ? String(text.dropFirst()) : text)
      } else if character.isWhitespace {
        if character.isNewline {
          line += 1
          // A blank line separates a comment from the next member.
          if at + 1 < characters.count, characters[at + 1].isNewline { comment = [] }
        }
        at += 1
      } else {
        return
      }
    }
  }
}
