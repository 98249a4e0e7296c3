internal import StrictJSON

/// NIP-28 public channels.
public enum PublicChannel {
  public static let creationKind = 40
  public static let metadataKind = 41
  /// The profile of an author. For a channel's own key, it repeats the channel's newest edition.
  static let profileKind = 0
  /// The number of relay hints in a link. More would make the QR code hard to scan.
  public static let hintsMax = 5

  /// The content of a kind 40 or 41 event.
  public static func content(name: String, about: String, picture: String, relays: [String]) -> String {
    var out: [UInt8] = []
    out.append(contentsOf: "{\"name\":".utf8)
    JSONValue.write(name, into: &out)
    out.append(contentsOf: ",\"about\":".utf8)
    JSONValue.write(about, into: &out)
    out.append(contentsOf: ",\"picture\":".utf8)
    JSONValue.write(picture, into: &out)
    out.append(contentsOf: ",\"relays\":".utf8)
    JSONValue.array(relays.map(JSONValue.string)).write(into: &out)
    out.append(UInt8(ascii: "}"))
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns the Unix time at which the event with this text was signed, or `nil` if the text is not an event.
  static func signingTime(of document: String) -> Int64? {
    (try? JSONParser.parse(document))?["created_at"]?.integer
  }

  /// The content of the kind 0 event that goes with a kind 40 or 41 event, and when that was signed, in Unix time, or `nil` if that is
  /// malformed. It follows from the event alone, so that it need not be stored.
  static func profile(of document: String) -> (content: String, signedAt: Int64)? {
    guard let event = try? JSONParser.parse(document), let signedAt = event["created_at"]?.integer,
      let text = event["content"]?.string, let shown = try? JSONParser.parse(text)
    else { return nil }
    // The text is written by hand in a fixed order, because the same bytes give the same id.
    var out: [UInt8] = []
    for (index, field) in ["name", "about", "picture"].enumerated() {
      out.append(contentsOf: "\(index == 0 ? "{" : ",")\"\(field)\":".utf8)
      JSONValue.write(shown[field]?.string ?? "", into: &out)
    }
    out.append(UInt8(ascii: "}"))
    return (String(decoding: out, as: UTF8.self), signedAt)
  }

  /// The link that readers open (NIP-21 with an nevent of NIP-19).
  public static func link(id: String, author: String, relays: [String]) -> String {
    "nostr:"
      + NIP19.nevent(id: id, relays: Array(relays.prefix(hintsMax)), author: author, kind: UInt32(creationKind)).text
  }
}
