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

  /// What the daemon sent is not a copy of a database, or not all of it.
  struct Broken: Error {}

  private var waiting: Piece?
  private var end: Result<Void, any Error>?
  private var isAbandoned = false
  private var taker: CheckedContinuation<Void, Never>?
  private var giver: CheckedContinuation<Void, Never>?
  private var given = 0
  /// Bytes that have not been taken yet; `nil` before the first piece.
  private var left: Int?
  private var patience: Task<Void, Never>?
  /// How long a piece may wait. A browser that has gone before the first one would keep the daemon from making other copies.
  private static let patienceMax = Duration.seconds(60)

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
      guard !isAbandoned else { throw Broken() }
      if let end {
        try end.get()
        // What ends before it is whole must not look like a copy.
        guard left == 0 else { throw Broken() }
        return nil
      }
      await withCheckedContinuation { taker = $0 }
    }
    if let piece = waiting { left = (left ?? piece.size) - piece.bytes.count }
    defer {
      waiting = nil
      patience?.cancel()
      wake(&giver)
    }
    return waiting
  }

  private func expire(_ number: Int) { if number == given, waiting != nil { abandon() } }

  /// No one takes the rest.
  func abandon() {
    isAbandoned = true
    waiting = nil
    patience?.cancel()
    wake(&giver)
  }

  private func give(_ piece: Piece) async -> Bool {
    while waiting != nil { await withCheckedContinuation { giver = $0 } }
    guard !isAbandoned else { return false }
    waiting = piece
    given += 1
    let number = given
    patience = Task {
      guard (try? await Task.sleep(for: Self.patienceMax)) != nil else { return }
      expire(number)
    }
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
      let size = reply["size"]?.integer.flatMap({ Int(exactly: $0) }), size >= 0
    else { throw Broken() }
    return Piece(bytes: bytes, size: size)
  }
}
