internal import Channels
internal import RelayNetwork

// Files of posts. The core reads and uploads them itself, after it has sent the post.
extension CoreWorker {
  /// Whether the core may send the file of a post. A post without a file may leave.
  func maySendFile(of form: PostForm) -> Bool {
    guard let file = form.file else { return true }
    return around.files?.holds(file) ?? false
  }

  /// The reason why a post does not leave that was accepted while its file might still be sent.
  static let fileNotAllowed = Trouble(
    .notSupported, "the file of the post is not, or no longer, below the folder of simplex.files")

  /// The reason why a post does not leave whose file may have been replaced.
  func fileWeakness(of form: PostForm) -> Trouble? {
    guard let file = form.file, let weakness = around.files?.weakness(onTheWayTo: file) else { return nil }
    return Trouble(.notSupported, "the file of the post, \(file.path), is not sent: \(weakness)")
  }

  /// Checks how far the file of a post came. The relay has the text.
  /// - Parameter awaitsEdit: whether an edit is still to be sent. That waits for no upload, because the time for edits is short.
  /// - Returns: whether nothing is missing. Otherwise the operation was answered, or waits.
  func hasUploadedFile(
    of operation: DeliveryOperation, _ item: CoreItem, _ task: PostTask, awaitsEdit: Bool
  ) -> Bool {
    guard task.form.file != nil, !awaitsEdit else { return true }
    switch item.file?.state {
    case .complete: return true
    case .stored, .uploading: awaitUpload(for: operation, "the core is still uploading the file")
    case .warning(let error): awaitUpload(for: operation, "the core is still uploading the file: \(error)")
    case .error(let error):
      let cause = error == .noFile ? Cause.missing : .unreachable
      finish(operation, .skipped(Trouble(cause, "readers get the post without its file, and the core has given up: \(error)")))
    case .cancelled:
      finish(
        operation,
        .skipped(Trouble(.missing, "readers get the post without its file: someone cancelled the upload in the core")))
    case nil: finish(operation, .skipped(Trouble(.missing, "the core has the post without its file")))
    case .invalid(let words), .unknown(let words):
      finish(operation, .troubled(Trouble(.protocol, "the core reports for the file: \(words)"), retryAfter: nil))
    }
    return false
  }

  /// Looks again after a while, because no event can be relied on, or ends the attempt if it has lasted too long.
  private func awaitUpload(for operation: DeliveryOperation, _ words: String) {
    let since = desks[operation.channel]?.entries[operation.post]?[operation.relay]?.since ?? now()
    guard now() - since < limits.patience else {
      return finish(operation, .troubled(Trouble(.timeout, words), retryAfter: nil))
    }
    hold(operation.post, in: operation.channel, for: limits.lookAgain)
  }
}
