internal import Mustache

/// What a template shows: values by name. A name that is not there shows nothing; only `page` is looked for further out, so that a value
/// of something else is never shown in the place of one that is missing.
struct View: Sendable, MustacheParent, ExpressibleByDictionaryLiteral {
  enum Part: Sendable {
    case text(String)
    case flag(Bool)
    case view(View)
    case views([View])

    /// A text, or nothing if there is none or it is empty.
    static func some(_ text: String?) -> Part? { text.flatMap { $0.isEmpty ? nil : .text($0) } }

    static func number(_ number: some BinaryInteger) -> Part { .text(String(number)) }
  }

  private var values: [String: Part] = [:]

  init(dictionaryLiteral elements: (String, Part?)...) {
    for (name, value) in elements { values[name] = value }
  }

  subscript(_ name: String) -> Part? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// This view with the values of another, which win.
  func merging(_ other: View) -> View {
    var view = self
    view.values.merge(other.values) { $1 }
    return view
  }

  // The type is what the library asks for.
  func child(named name: String) -> Any? {
    switch values[name] {
    case .text(let text): text
    case .flag(let flag): flag
    case .view(let view): view
    case .views(let views): views
    case nil: name == "page" ? nil : Absent()
    }
  }
}

extension View.Part: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral {
  init(stringLiteral text: String) { self = .text(text) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
}

/// A value that is not there, which ends the search for it.
private struct Absent: MustacheCustomRenderable {
  var renderText: String { "" }
  var isNull: Bool { true }
}
