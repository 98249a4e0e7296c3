internal import Foundation
internal import StrictJSON

/// A Blossom server, which keeps files by their SHA-256 (BUD-01, BUD-02).
public struct BlossomServer: Sendable {
  /// The address of the server, in normal form.
  public let text: String
  private let address: WebAddress
  private let client: WebClient

  /// Upper bound of a server's description of a file, in bytes.
  private static let descriptionBytesMax = 64 << 10
  private static let redirectsMax = 3

  /// - Throws: `WebFailure` if `text` is not the address of a server.
  public init(_ text: String, client: WebClient) throws(WebFailure) {
    do throws(WebAddress.Flaw) {
      address = try WebAddress(server: text)
    } catch {
      throw WebFailure("the address of a server \(error)")
    }
    self.text = address.server
    self.client = client
  }

  /// Brings a file to the server unless it is there, and reads it back.
  /// - Parameter authorization: the value of the `Authorization` field.
  /// - Returns: the address of the file. It follows from server and file alone, so it is the same each time.
  /// - Throws: `WebFailure` with the server's words if it has any.
  public func upload(_ file: LocalFile, authorization: String) async throws(WebFailure) -> String {
    let place = address.with(target: "/\(file.sha256)\(file.type.map { ".\($0.fileExtension)" } ?? "")")
    if try await client.send(WebRequest(method: .head, address: place)).status == 200 {
      // Some servers report this for every file. Only reading it back decides.
      do throws(WebFailure) {
        try await readBack(file, at: place)
        return place.text
      } catch {}
    }
    try await put(file, authorization)
    try await readBack(file, at: place)
    return place.text
  }

  private func put(_ file: LocalFile, _ authorization: String) async throws(WebFailure) {
    let answer = try await client.send(
      WebRequest(
        method: .put, address: address.with(target: "/upload"),
        fields: [
          ("Authorization", authorization), ("Content-Type", file.type?.mimeType ?? "application/octet-stream"),
          ("X-SHA-256", file.sha256),
        ],
        body: file.bytes, intake: .bytes(max: Self.descriptionBytesMax)))
    let description = try? JSONParser.parse(answer.body)
    guard [200, 201].contains(answer.status) else { throw Self.refusal("the upload", answer, description) }
    guard let hash = description?["sha256"]?.string else {
      throw WebFailure("the server's answer to the upload does not say what it stored")
    }
    guard hash.lowercased() == file.sha256 else {
      throw WebFailure("the server stored another file: its SHA-256 is \(hash.prefix(64))")
    }
  }

  private static func refusal(_ what: String, _ answer: WebAnswer, _ description: JSONValue? = nil) -> WebFailure {
    let words = answer.fields["x-reason"] ?? description?["message"]?.string ?? ""
    return WebFailure("the server refused \(what) with HTTP status \(answer.status)\(words.isEmpty ? "" : ": \(words)")")
  }

  /// Fetches the file as readers do, who follow a redirect to wherever the server keeps it.
  private func readBack(_ file: LocalFile, at place: WebAddress) async throws(WebFailure) {
    var place = place
    for _ in 0...Self.redirectsMax {
      let answer = try await client.send(
        WebRequest(method: .get, address: place, intake: .digest(max: file.bytes.count)))
      switch answer.status {
      case 200:
        guard answer.digest == file.digest else { throw WebFailure("the server serves another file than it got") }
        return
      case 301, 302, 303, 307, 308: place = try next(answer.fields["location"] ?? "", after: place, file)
      default: throw Self.refusal("to serve the file", answer)
      }
    }
    throw WebFailure("the server sends readers from one address to the next without end")
  }

  /// The target of a redirect. It has the hash in it (BUD-01), and leads to this machine only if the server is on it.
  func next(_ location: String, after place: WebAddress, _ file: LocalFile) throws(WebFailure) -> WebAddress {
    let isRelative = location.hasPrefix("/") && !location.hasPrefix("//")
    guard let next = try? WebAddress(isRelative ? place.server + location : location), !next.isLoopback || address.isLoopback,
      next.target.lowercased().contains(file.sha256)
    else { throw WebFailure("the server sends readers to an address that is not one of the file: \(location.prefix(200))") }
    return next
  }
}

/// The result of uploading a file to one server.
public struct UploadOutcome: Sendable {
  /// The address of the server.
  public let server: String
  /// The address of the file there.
  public let result: Result<String, WebFailure>
}

extension LocalFile {
  /// Uploads the file to all servers at the same time.
  /// - Parameter authorization: the value of the `Authorization` field, good for all of them.
  /// - Returns: an outcome for each server, in the same order.
  public func upload(to servers: [String], authorization: String, client: WebClient) async -> [UploadOutcome] {
    await withTaskGroup(of: (Int, UploadOutcome).self) { tasks in
      for (index, server) in servers.enumerated() {
        tasks.addTask {
          do throws(WebFailure) {
            let place = try await BlossomServer(server, client: client).upload(self, authorization: authorization)
            return (index, UploadOutcome(server: server, result: .success(place)))
          } catch {
            return (index, UploadOutcome(server: server, result: .failure(error)))
          }
        }
      }
      return await tasks.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}
