internal import Mustache

/// The templates of all pages.
struct Templates: Sendable {
  private let library: MustacheLibrary

  /// - Throws: an error of the library about an invalid template, which a test would have noticed.
  init() throws {
    var library = MustacheLibrary()
    for (name, text) in Self.sources {
      // Views escape texts themselves. Each template declares that, because templates do not inherit the declaration, and a template
      // without it would show texts escaped twice.
      try library.register("{{% CONTENT_TYPE:TEXT}}" + text, named: name)
    }
    self.library = library
  }

  /// - Returns: `nil` if the template does not exist.
  func render(_ name: String, _ view: View) -> String? { library.render(view, withTemplate: name) }

  /// The name and the text of each.
  static var sources: [(name: String, text: String)] {
    PageFiles.all.compactMap { file in
      file.path.wholeMatch(of: /templates\/(.+)\.mustache/).map { (String($0.1), file.text) }
    }
  }
}
