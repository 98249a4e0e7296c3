internal import BatonClient
internal import ControlAPI
internal import Foundation
internal import StrictJSON

/// Reads a copy of the database, no faster than it is taken: at most one piece waits.
actor BackupReader {
  /// A part of the copy.
  struct Piece: Sendable {
    let bytes: Data
    /// Bytes of the whole copy.
    let size: Int
  }

  /// What the daemon sent is not a copy of a database.
  struct Broken: Error {}

  private var waiting: Piece?
  private var end: Result<Void, any Error>?
  private var isAbandoned = false
  private var taker: CheckedContinuation<Void, Never>?
  private var giver: CheckedContinuation<Void, Never>?

  /// Begins to read on a connection of its own, which it closes in the end.
  init(_ client: BatonClient) {
    Task {
      do {
        for try await reply in try await client.stream(DaemonMethod.backup) {
          guard await give(try Self.piece(reply)) else { break }
        }
        await finish(.success(()))
      } catch {
        await finish(.failure(error))
      }
      await client.close()
    }
  }

  /// The next piece; `nil` after the last one.
  /// - Throws: what the daemon refused with, or what the client throws.
  func next() async throws -> Piece? {
    while waiting == nil {
      if let end {
        try end.get()
        return nil
      }
      await withCheckedContinuation { taker = $0 }
    }
    defer {
      waiting = nil
      wake(&giver)
    }
    return waiting
  }

  /// Nobody takes the rest.
  func abandon() {
    isAbandoned = true
    waiting = nil
    wake(&giver)
  }

  private func give(_ piece: Piece) async -> Bool {
    while waiting != nil { await withCheckedContinuation { giver = $0 } }
    guard !isAbandoned else { return false }
    waiting = piece
    wake(&taker)
    return true
  }

  private func finish(_ result: Result<Void, any Error>) {
    end = result
    wake(&taker)
  }

  private func wake(_ continuation: inout CheckedContinuation<Void, Never>?) {
    continuation?.resume()
    continuation = nil
  }

  private static func piece(_ reply: [String: JSONValue]) throws -> Piece {
    guard let text = reply["data"]?.string, let bytes = Data(base64Encoded: text),
      let size = reply["size"]?.integer.flatMap({ Int(exactly: $0) })
    else { throw Broken() }
    return Piece(bytes: bytes, size: size)
  }
}
