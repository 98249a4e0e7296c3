internal import BatonClient
internal import ControlAPI
internal import Foundation

/// Reads a copy of the database, no faster than the browser receives it: at most one piece waits.
actor BackupReader {
  /// A part of the copy.
  struct Piece: Sendable {
    let bytes: Data
    /// Bytes of the whole copy.
    let size: Int
  }

  /// The daemon sent something other than a copy of a database, or only a part of it.
  struct Broken: Error {}

  private var waiting: Piece?
  private var end: Result<Void, any Error>?
  private var isAbandoned = false
  private var taker: CheckedContinuation<Void, Never>?
  private var giver: CheckedContinuation<Void, Never>?
  private var given = 0
  /// The number of bytes still to read, or `nil` before the first piece.
  private var left: Int?
  private var patience: Task<Void, Never>?
  /// How long a piece may wait. Otherwise a browser that disconnects before the first piece would keep the daemon from making other copies.
  private static let patienceMax = Duration.seconds(60)

  /// Begins to read on a separate connection, which it closes at the end.
  init(_ client: BatonClient) {
    Task {
      do {
        for try await reply in try await client.daemon.backup() {
          guard await give(try Self.piece(reply)) else { break }
        }
        await finish(.success(()))
      } catch {
        await finish(.failure(error))
      }
      await client.close()
    }
  }

  /// The next piece, or `nil` after the last one.
  /// - Throws: the daemon's refusal, or an error of the client.
  func next() async throws -> Piece? {
    while waiting == nil {
      guard !isAbandoned else { throw Broken() }
      if let end {
        try end.get()
        // An incomplete result must not look like a copy.
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

  /// Stops reading, because no one receives the rest.
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

  private static func piece(_ reply: DaemonBackupReply) throws -> Piece {
    guard let bytes = Data(base64Encoded: reply.data), reply.size >= 0 else { throw Broken() }
    return Piece(bytes: bytes, size: reply.size)
  }
}
