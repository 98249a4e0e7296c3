internal import ControlAPI
internal import Cryptography
internal import Filters
internal import StrictJSON

/// One line of a file with posts.
enum PostImportLine {
  /// The reason why a line is not sent to the daemon, a sentence for people.
  struct Flaw: Error, Hashable {
    let reason: String
  }

  /// The fields of a line: the fields of a post, and its key.
  private static let fields = [
    "text", "key", "replyTo", "quotes", "mentions", "contentWarning", "hashtags", "emoji", "attachments", "at",
    "tolerance",
  ]

  /// The request that a line makes.
  enum Offer: Hashable {
    /// Publish a post.
    case post(PostsPublishRequest)
    /// Publish a signed post, or carry out a signed deletion.
    case event(PostsAdoptRequest)
  }

  /// Members of a signed event (NIP-01) that no post in `fields` has.
  private static let eventFields = ["pubkey", "created_at", "sig"]

  /// - Parameters:
  ///   - line: a JSON object.
  ///   - channel: the id of the channel that gets the post.
  static func offer(_ line: [UInt8], channel: Int64) throws(Flaw) -> Offer {
    let members = try members(of: line)
    guard eventFields.contains(where: { members[$0] != nil }) else {
      return .post(try request(members, line, channel: channel))
    }
    return .event(PostsAdoptRequest(channelId: channel, document: String(decoding: line, as: UTF8.self)))
  }

  private static func members(of line: [UInt8]) throws(Flaw) -> [String: JSONValue] {
    let json: JSONValue
    do { json = try JSONParser.parse(line) } catch { throw Flaw(reason: "\(error)") }
    guard let members = json.object?.filter({ $0.value != .null }) else { throw Flaw(reason: "it is not a JSON object") }
    return members
  }

  private static func request(
    _ members: [String: JSONValue], _ line: [UInt8], channel: Int64
  ) throws(Flaw) -> PostsPublishRequest {
    var members = members
    for name in members.keys.sorted() where !fields.contains(name) {
      let hint =
        Nearest.to(name, among: fields).map { ". Did you mean \($0)?" } ?? ". The fields are \(fields.joined(separator: ", "))"
      throw Flaw(reason: "there is no field '\(name.shown.cut(to: 40))'\(hint)")
    }
    if members["attachments"] != nil || members["quotes"] != nil, members["text"] == nil { members["text"] = "" }
    members["idempotencyKey"] = members.removeValue(forKey: "key") ?? .string(key(of: line, channel: channel))
    members["channelId"] = .integer(channel)
    do {
      return try PostsPublishRequest(json: .object(members))
    } catch let error as JSONShapeError {
      throw Flaw(reason: "\(error)".shown)
    } catch {
      throw Flaw(reason: "it is not a post")
    }
  }

  /// The key of a line without a key: the same line in the same channel is the same post, however often it is imported.
  static func key(of line: [UInt8], channel: Int64) -> String {
    "import-" + SHA256.digest(of: Array("\(channel)\n".utf8) + line).prefix(keyBytes).hexadecimal
  }

  /// How many bytes of the digest a key has: enough that no one can write two lines with one key.
  private static let keyBytes = 20
}
