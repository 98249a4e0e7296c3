internal import StrictJSON

/// A link with what readers see of it before they open it (`LinkPreview`).
public struct CoreLinkPreview: Hashable, Sendable {
  /// The link.
  public let link: String
  /// The title of the page.
  public let title: String
  /// What the page says of itself; empty for nothing.
  public let summary: String
  /// A small picture as a `data:` URL, which counts towards the size of the message; empty for none.
  public let image: String

  /// - Parameters:
  ///   - link: the link.
  ///   - title: the title of the page.
  ///   - summary: what the page says of itself.
  ///   - image: a small picture as a `data:` URL.
  public init(link: String, title: String, summary: String = "", image: String = "") {
    (self.link, self.title, self.summary, self.image) = (link, title, summary, image)
  }

  var json: JSONValue {
    ["uri": .string(link), "title": .string(title), "description": .string(summary), "image": .string(image)]
  }
}
