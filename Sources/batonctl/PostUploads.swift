internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import Sentences
internal import StrictJSON
internal import WebFiles

/// Looks names up and uploads files before a post is published. The daemon does neither: it signs.
struct PostUploads {
  let session: Session

  /// The channel of the post.
  struct Destination {
    let channel: Int64
    let network: String
  }

  /// The parts of the post besides its text.
  /// - Parameters:
  ///   - destination: the channel of the post. Read only if there are files.
  ///   - needsAll: whether a file has to be on all servers.
  func parts(
    of extras: PostExtras, needsAll: Bool, to destination: () async throws -> Destination
  ) async throws -> PostParts {
    var mentions = extras.mention
    var attachments = extras.attach.map { Attachment(url: $0) }
    let destination = extras.attachFile.isEmpty ? nil : try await destination()
    let isOfCore = destination.map { CoreFile.isMeant(on: $0.network) } ?? false
    if isOfCore { attachments.insert(try CoreFile.attachment(of: extras), at: 0) }
    // All files are read before anything is uploaded.
    let files = isOfCore ? [] : try Self.files(extras.attachFile)
    if !files.isEmpty || mentions.contains(where: DomainName.isMeant) {
      let client = try WebClient.withRootsOfEnvironment()
      session.ending.followed = .preparing
      defer { session.ending.followed = nil }
      var people = PostMentions(client: client)
      mentions = try await people.keys(of: mentions)
      if let destination, !files.isEmpty {
        let uploaded = try await upload(files, extras, to: destination.channel, needsAll: needsAll, client)
        attachments.insert(contentsOf: uploaded, at: 0)
      }
    }
    return PostParts(
      mentions: mentions.isEmpty ? nil : mentions, attachments: attachments.isEmpty ? nil : attachments)
  }

  // MARK: - Files

  /// The files that a command line names.
  private static func files(_ paths: [String]) throws(Refusal) -> [LocalFile] {
    var files: [LocalFile] = []
    for path in paths {
      do throws(LocalFile.Flaw) {
        files.append(try LocalFile(path: path))
      } catch {
        throw Refusal(text: error.description.shown, status: 64, name: "local.Usage")
      }
    }
    return files
  }

  private func upload(
    _ files: [LocalFile], _ extras: PostExtras, to channel: Int64, needsAll: Bool, _ client: WebClient
  ) async throws -> [Attachment] {
    var attachments: [Attachment] = []
    for (index, file) in files.enumerated() {
      let places = try await upload(file, extras.attachFile[index], channel, needsAll: needsAll, client)
      let alt = extras.alt.indices.contains(index) && !extras.alt[index].isEmpty ? extras.alt[index] : nil
      attachments.append(
        Attachment(
          url: places[0], sha256: file.sha256, mimeType: file.type?.mimeType, sizeBytes: file.bytes.count,
          width: file.dimensions?.width, height: file.dimensions?.height, altText: alt,
          fallbacks: places.count > 1 ? Array(places.dropFirst()) : nil))
    }
    return attachments
  }

  /// - Returns: the addresses of the file, best first.
  private func upload(
    _ file: LocalFile, _ path: String, _ channel: Int64, needsAll: Bool, _ client: WebClient
  ) async throws -> [String] {
    let upload = try await session.raw.posts.authorizeUpload(
      channelId: channel, sha256: file.sha256, sizeBytes: file.bytes.count)
    let outcomes = await file.upload(to: upload.servers, authorization: upload.authorization, client: client)
    return try Self.places(outcomes, path, needsAll: needsAll, warn: session.ending.warn)
  }

  /// The addresses of the file, best first, at least one.
  /// - Parameter warn: gets the name and the text of failures that leave at least one address.
  /// - Throws: a refusal with each server's answer.
  static func places(
    _ outcomes: [UploadOutcome], _ path: String, needsAll: Bool, warn: (String, String) -> Void
  ) throws(Refusal) -> [String] {
    let places = outcomes.compactMap { try? $0.result.get() }
    let failures = outcomes.compactMap { outcome -> String? in
      if case .failure(let failure) = outcome.result { "\(outcome.server): \(failure)" } else { nil }
    }
    if failures.isEmpty, !places.isEmpty { return places }
    let words = failures.joined(separator: "; ")
    guard !places.isEmpty else {
      throw Refusal(
        text: "no server accepted \(path.shown), so nothing was published: \(words)", name: "local.UploadFailed")
    }
    let text = "\(path.shown) is on \(places.count) of \(counted(outcomes.count, "server")): \(words)"
    guard !needsAll else {
      throw Refusal(
        text:
          "\(text). With --idempotency-key it must be on all servers, because the same key means the same post. Run the command again",
        name: "local.UploadFailed")
    }
    warn("local.UploadIncomplete", text)
    return places
  }
}
