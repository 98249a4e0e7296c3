internal import Store

/// The values of one row, in the order of its table. A pending revision remains pending.
struct RowCells: RowSink {
  private(set) var cells: [Cell] = []

  mutating func bindNull() { cells.append(.null) }
  mutating func bind(_ number: Int64) { cells.append(.int(number)) }
  mutating func bind(revision: Int64) { cells.append(.int(revision)) }
  mutating func bind(_ text: String) { cells.append(.text(text)) }
  mutating func bind(_ blob: [UInt8]) { cells.append(.bytes(blob)) }

  static func of(_ body: (inout RowCells) -> Void) -> [Cell] {
    var row = RowCells()
    body(&row)
    return row.cells
  }
}
