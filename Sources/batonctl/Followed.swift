internal import ControlAPI
internal import StrictJSON

/// The object that a command follows, usually one on which the daemon works. If the command ends early, its message describes this object.
enum Followed: Sendable {
  case channel(Channel)
  case post(Post)
  case membership(MemberChange)
  /// An import, with the counts of the lines that are done.
  case importing(ImportReport)
  /// Changes or messages, without end.
  case stream
  /// Files are being uploaded and names looked up before a post is published. The daemon has not received the post yet.
  case preparing

  /// The sentence for a command whose time is up.
  func timedOut(after limit: String) -> String {
    switch self {
    case .channel(let channel):
      "channel \(channel.id) is not ready after \(limit). The daemon continues, see batonctl channel show \(channel.id)"
    case .post(let post):
      "post \(post.id) is not settled after \(limit). The daemon continues, see batonctl post show \(post.id)"
    case .membership(let change):
      "the change is not done after \(limit). The daemon continues, see batonctl post show \(change.postId)"
    case .importing(let report): "not done after \(limit): \(report.progress). Run it again to continue"
    case .stream: "ended after \(limit), the time limit of --timeout"
    case .preparing: "file uploads or name lookups took longer than \(limit). Nothing was published, run it again"
    }
  }

  /// The sentence for a command that is interrupted.
  var interrupted: String {
    switch self {
    case .channel(let channel): "the daemon continues without batonctl. See batonctl channel show \(channel.id)"
    case .post(let post): "the daemon continues without batonctl. See batonctl post show \(post.id)"
    case .membership(let change): "the daemon continues without batonctl. See batonctl post show \(change.postId)"
    case .importing(let report): "interrupted: \(report.progress). Run it again to continue"
    case .stream: "interrupted"
    case .preparing: "interrupted during file uploads or name lookups. Nothing was published, run it again"
    }
  }

  /// The object for programs.
  var json: [String: JSONValue] {
    switch self {
    case .channel(let channel): (try? ["channel": channel.json]) ?? [:]
    case .post(let post): (try? ["post": post.json]) ?? [:]
    case .membership(let change): (try? ["change": change.json]) ?? [:]
    case .importing(let report): (try? ["import": report.json]) ?? [:]
    case .stream, .preparing: [:]
    }
  }
}
