internal import StrictJSON

/// A link and its preview, which readers see before they open it (`LinkPreview`).
public struct CoreLinkPreview: Hashable, Sendable {
  /// The link.
  public let link: String
  /// The title of the page.
  public let title: String
  /// The page's description of itself, or empty.
  public let summary: String
  /// A small picture as a `data:` URL, or empty. It counts towards the size of the message.
  public let image: String

  /// - Parameters:
  ///   - link: the link.
  ///   - title: the title of the page.
  ///   - summary: the page's description of itself.
  ///   - image: a small picture as a `data:` URL.
  public init(link: String, title: String, summary: String = "", image: String = "") {
    (self.link, self.title, self.summary, self.image) = (link, title, summary, image)
  }

  var json: JSONValue {
    ["uri": .string(link), "title": .string(title), "description": .string(summary), "image": .string(image)]
  }
}
