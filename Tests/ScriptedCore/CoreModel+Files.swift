internal import StrictJSON

// Files of posts: the core answers first, and uploads then.
extension CoreModel {
  struct File: Hashable, Sendable {
    let id: Int64
    let path: String
    var status: JSONValue = ["type": "sndStored"]

    var json: JSONValue {
      [
        "fileId": .integer(id), "fileName": .string(name(ofFileAt: path)), "fileSize": 14,
        "fileSource": ["filePath": .string(path)],
        "fileStatus": status, "fileProtocol": "xftp",
      ]
    }
  }

  /// A file that is to be uploaded.
  struct Upload: Hashable, Sendable {
    let serial: Int64
    let item: Int64
  }

  struct FileRefusal: Error { let error: JSONValue }

  /// - Returns: the file of a message, or why the core does not send it.
  mutating func readFile(_ path: String?) -> Result<File?, FileRefusal> {
    guard let path else { return .success(nil) }
    switch files[path] ?? .good {
    case .missing: return .failure(FileRefusal(error: CoreErrors.own("fileNotFound", ["message": .string(path)])))
    case .tooLarge: return .failure(FileRefusal(error: CoreErrors.own("fileSize", ["filePath": .string(path)])))
    case .good, .slow, .warns, .fails, .cancelled: return .success(File(id: nextItem, path: path))
    }
  }

  /// Uploads the next file.
  /// - Returns: whether there was one.
  mutating func upload() -> Bool {
    guard !uploads.isEmpty else { return false }
    let next = uploads.removeFirst()
    // What was deleted meanwhile is not uploaded.
    guard let group = groups.firstIndex(where: { $0.serial == next.serial }),
      let item = groups[group].items.firstIndex(where: { $0.id == next.item && $0.deletedAt == nil }),
      let file = groups[group].items[item].file
    else { return true }
    let (status, event): (JSONValue, String?) =
      switch files[file.path] ?? .good {
      case .good, .missing, .tooLarge: (["type": "sndComplete"], "sndFileCompleteXFTP")
      case .slow: (["type": "sndTransfer", "sndProgress": 7, "sndTotal": 14], "sndFileProgressXFTP")
      case .warns(let error): (["type": "sndWarning", "sndFileError": error], "sndFileWarning")
      case .fails(let error): (["type": "sndError", "sndFileError": error], "sndFileError")
      case .cancelled: (["type": "sndCancelled"], nil)
      }
    groups[group].items[item].file?.status = status
    guard let event else { return true }
    events.append([
      "type": .string(event), "user": userJSON(groups[group].user),
      "chatItem": chatItemJSON(groups[group].items[item], in: groups[group]),
    ])
    return true
  }

  /// Files that are not uploaded yet are tried once more.
  public mutating func uploadAgain() {
    for group in groups {
      for item in group.items {
        guard let status = item.file?.status["type"], ["sndTransfer", "sndWarning"].contains(status) else { continue }
        uploads.append(Upload(serial: group.serial, item: item.id))
      }
    }
    if settlesAtOnce { settle() }
  }
}

/// The name of a file without its folder.
func name(ofFileAt path: String) -> String { path.split(separator: "/").last.map { String($0) } ?? "" }
