public import Channels
internal import RelayNetwork
internal import StrictJSON

// Files that the core sends along with posts.
extension SimpleXNetwork {
  /// How long servers keep a file.
  static let fileTime = Duration.seconds(48 * 3_600)

  public func notes(on post: PostDocument, publishedAt: Timestamp) -> [String] {
    guard let form = PostForm(post), form.file != nil else { return [] }
    guard ItemPlace(name: post.networkID)?.item != nil else {
      return ["File servers keep its file for about 48 hours once it is sent. Files that must last longer belong on the web."]
    }
    let end = (form.sentAt ?? publishedAt) + Self.fileTime
    let time = RFC3339.text(milliseconds: end.milliseconds)
    guard now() < end else {
      return ["File servers kept its file for about 48 hours: since about \(time) readers presumably cannot fetch it any more."]
    }
    return [
      "File servers keep its file for about 48 hours: readers can fetch it until about \(time). Files that must last longer belong on the web."
    ]
  }

  /// Checks that a file may be sent. The core would send any file that it may read.
  func check(_ file: FileAddress?) throws(PostFailure) {
    guard let file else { return }
    guard let files else {
      throw .unsupported(
        "no folder for files is configured. Set simplex.files in the configuration of batond and restart it, or attach the address of a "
          + "file that is on the web")
    }
    guard files.holds(file) else {
      throw .refused(
        PostRefusal(.attachments, "\(file.path) is not below \(files.path), the folder of simplex.files. Put the file there"))
    }
    if let weakness = files.weakness(onTheWayTo: file) {
      throw .refused(PostRefusal(.attachments, "\(file.path) is not sent: \(weakness)"))
    }
  }

  /// Checks that an edit keeps the file of a post, because a change of it does not reach readers.
  static func check(_ next: PostForm, keepsFileOf form: PostForm) throws(PostRefusal) {
    guard next.file?.text != form.file?.text else { return }
    guard let file = form.file else {
      throw PostRefusal(.attachments, "an edit on SimpleX cannot add a file. Publish another post")
    }
    throw PostRefusal(
      .attachments,
      "an edit on SimpleX cannot change or remove the file of a post. Attach \(file.text) again, or publish another post")
  }
}
