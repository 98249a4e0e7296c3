internal import Channels
internal import ControlAPI
internal import Glibc
internal import RelayNetwork

/// A file that the chat core of this machine sends with a post on SimpleX. batonctl passes its path and does not read it.
enum CoreFile {
  /// Whether the chat core sends the files of posts on a network.
  static func isMeant(on network: String) -> Bool { network == NetworkKind.simplex.rawValue }

  /// The file of a post.
  /// - Throws: a refusal if the post has several, or a file with a description.
  static func attachment(of extras: PostExtras) throws(Refusal) -> Attachment {
    guard extras.attachFile.count == 1, let path = extras.attachFile.first else {
      throw usage("SimpleX accepts one file per post, not \(extras.attachFile.count). Publish a post for each file")
    }
    guard extras.alt.allSatisfy(\.isEmpty) else {
      throw usage("SimpleX shows no file descriptions. Write the description into the text instead of --alt")
    }
    return Attachment(url: try address(ofFileAt: path).text)
  }

  /// The address of a file, with its path from the root and without symbolic links, as the daemon compares it with `simplex.files`.
  private static func address(ofFileAt path: String) throws(Refusal) -> FileAddress {
    guard let found = realpath(path, nil) else {
      throw usage("cannot find \(path.shown): \(String(cString: strerror(errno)))")
    }
    defer { free(found) }
    var status = stat()
    guard stat(found, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw usage("\(path.shown) is not a file") }
    guard let whole = String(validatingCString: found) else {
      throw usage("cannot attach \(path.shown): its path is not UTF-8. Rename the file")
    }
    do throws(FileAddress.Flaw) {
      return try FileAddress(path: whole)
    } catch {
      throw usage("cannot attach \(path.shown): its path \(error.reason)")
    }
  }

  private static func usage(_ text: String) -> Refusal { Refusal(text: text, status: 64, name: "local.Usage") }
}

extension Session {
  /// Prints the notes that the publisher of a post should see. In JSON the post contains them.
  func warn(of post: Post) {
    guard !options.json else { return }
    for note in post.notes ?? [] { ending.warn("local.PostNote", note) }
  }
}
