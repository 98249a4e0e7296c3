internal import Channels
package import Storage

/// Receives the values of one row, in the order of its table.
package protocol RowSink {
  mutating func bindNull()
  mutating func bind(_ number: Int64)
  /// Receives a revision, which may be pending.
  mutating func bind(revision: Int64)
  mutating func bind(_ text: String)
  mutating func bind(_ blob: [UInt8])
}

extension RowSink {
  mutating func bind(_ number: Int64?) {
    if let number { bind(number) } else { bindNull() }
  }

  mutating func bind(_ number: Int) { bind(Int64(number)) }

  mutating func bind(_ number: Int?) {
    if let number { bind(Int64(number)) } else { bindNull() }
  }

  mutating func bind(_ flag: Bool) { bind(flag ? 1 : 0 as Int64) }

  mutating func bind(_ flag: Bool?) {
    if let flag { bind(flag) } else { bindNull() }
  }

  mutating func bind(_ text: String?) {
    if let text { bind(text) } else { bindNull() }
  }

  mutating func bind(_ blob: [UInt8]?) {
    if let blob { bind(blob) } else { bindNull() }
  }
}

/// Returns the values of one row, in the order of its table. No value may be trusted before a call of `end`.
package protocol RowSource {
  mutating func integerIfAny() -> Int64?
  mutating func textIfAny() -> String?
  mutating func blobIfAny() -> [UInt8]?
  /// The value of a column that is never NULL. If it is missing anyway, `end` throws.
  mutating func integer() -> Int64
  mutating func text() -> String
  /// Checks that all columns were read, and that the row is intact.
  /// - Throws: `StoreError.corrupt` that names the row.
  func end(_ table: SummedTable) throws
  /// A row with an impossible value.
  func unreadable(_ table: SummedTable) -> StoreError
}

extension RowSource {
  mutating func flag() -> Bool { integer() != 0 }
  mutating func flagIfAny() -> Bool? { integerIfAny().map { $0 != 0 } }

  /// A number that counts something.
  mutating func count() -> Int { Int(clamping: integer()) }

  mutating func timeIfAny() -> Timestamp? { integerIfAny().map(Timestamp.init(milliseconds:)) }
}
