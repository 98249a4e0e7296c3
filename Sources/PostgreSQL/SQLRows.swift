internal import CPostgreSQL

/// The answer to one statement.
public struct SQLRows: Sendable {
  /// How many rows came back.
  public let count: Int
  /// How many rows the statement has changed. For statements that only read, how many came back.
  public let affected: Int
  private let columns: Int
  /// All values behind each other, and where each begins. The last place is the end. A NULL is negative: the one's complement of its place.
  private let all: [UInt8]
  private let places: [Int]

  /// - Parameter result: an answer of libpq. It is read, and the caller frees it.
  init(_ result: OpaquePointer) {
    let (rows, columns) = (pq_rows(result), pq_columns(result))
    (count, self.columns) = (Int(rows), Int(columns))
    affected = pq_affected(result).flatMap { Int(String(cString: $0)) } ?? 0
    var (all, places): ([UInt8], [Int]) = ([], [])
    places.reserveCapacity(count * self.columns + 1)
    for row in 0..<rows {
      for column in 0..<columns {
        guard pq_isNull(result, row, column) == 0 else {
          places.append(~all.count)
          continue
        }
        places.append(all.count)
        all += UnsafeRawBufferPointer(start: pq_value(result, row, column), count: Int(pq_length(result, row, column)))
      }
    }
    places.append(all.count)
    (self.all, self.places) = (all, places)
  }

  /// The bytes of a value, or `nil` for NULL, and if there is no such row or column.
  public func bytes(_ row: Int, _ column: Int) -> [UInt8]? { raw(row, column).map { Array($0) } }

  /// A text. Bytes that are not UTF-8 become U+FFFD.
  public func text(_ row: Int, _ column: Int) -> String? { raw(row, column).map { String(decoding: $0, as: UTF8.self) } }

  /// An integer of any size, or `nil` for anything else.
  public func int(_ row: Int, _ column: Int) -> Int64? {
    guard let bytes = raw(row, column), [2, 4, 8].contains(bytes.count), let first = bytes.first else { return nil }
    return bytes.reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
  }

  public func bool(_ row: Int, _ column: Int) -> Bool? { raw(row, column).flatMap { $0.count == 1 ? $0.first != 0 : nil } }

  private func raw(_ row: Int, _ column: Int) -> ArraySlice<UInt8>? {
    guard row >= 0, row < count, column >= 0, column < columns else { return nil }
    let index = row * columns + column
    let (start, next) = (places[index], places[index + 1])
    return start < 0 ? nil : all[start..<(next < 0 ? ~next : next)]
  }
}
