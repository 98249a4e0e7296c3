public import Channels
public import RelayNetwork

// What was signed before is `post|NAME|SECONDS|TEXT`, with the name of the post that it answers behind that if there is one, or
// `deletion|NAME`.
extension FakeNetwork {
  public func signed(_ text: String, in content: ChannelContent) throws(PostFailure) -> SignedPost {
    if content.kind == .group { throw .unsupported("posts in groups are signed again for each attempt") }
    let parts = text.split(separator: "|").map(String.init)
    switch parts.first {
    case "deletion" where parts.count == 2:
      return .deletion(PostDocument(networkID: "deletion of \(parts[1])", author: "key", text: ""), of: parts[1])
    case "post" where parts.count > 3:
      guard let seconds = Int64(parts[2]) else { break }
      return .post(
        SignedPost.Message(
          document: PostDocument(networkID: parts[1], author: "key", text: parts[3]), text: parts[3],
          date: Timestamp(milliseconds: seconds * 1_000), replyTo: parts.count > 4 ? parts[4] : nil,
          quotes: Array(parts.dropFirst(5))))
    default: break
    }
    throw .refused(PostRefusal(.document, "no one signed it"))
  }

  public func signedText(of document: PostDocument) -> String? {
    let deletion = "deletion of "
    if document.networkID.hasPrefix(deletion) { return "deletion|\(document.networkID.dropFirst(deletion.count))" }
    return document.text == "unsigned" ? nil : "post|\(document.networkID)|0|\(document.text)"
  }
}
