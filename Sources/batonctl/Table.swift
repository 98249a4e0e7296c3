/// One column of a table.
struct TableColumn<Row>: Sendable {
  /// The title in capitals. `--columns` uses small letters.
  let title: String
  /// The rank. If there is no room for all columns, the column with the highest rank is left out first. Columns of rank 0 are always shown.
  let rank: Int
  /// The width to which cells are cut before a column is left out, or `nil` if they are never cut, because a part of them would be
  /// misleading.
  let least: Int?
  /// Whether the column is shown only on request: by name, or with all columns.
  let isExtra: Bool
  let color: (@Sendable (Row) -> Terminal.Color?)?
  let text: @Sendable (Row) -> String

  init(
    _ title: String, rank: Int, least: Int? = nil, isExtra: Bool = false,
    color: (@Sendable (Row) -> Terminal.Color?)? = nil, text: @escaping @Sendable (Row) -> String
  ) {
    self.title = title
    self.rank = rank
    self.least = least
    self.isExtra = isExtra
    self.color = color
    self.text = text
  }

  /// The name of the column for `--columns`.
  var name: String { title.lowercased() }

  /// The same column after the user requested it.
  var staying: TableColumn { TableColumn(title, rank: 0, least: least, isExtra: isExtra, color: color, text: text) }
}

/// Rows in columns, with a line of titles.
struct Table<Row> {
  let columns: [TableColumn<Row>]
  let rows: [Row]

  /// The mark for an empty cell, so that each row has as many words as there are columns.
  private static var none: String { "-" }
  /// Spaces between columns.
  private static var gap: Int { 2 }
  /// The smallest width to which cells are cut.
  private static var narrowest: Int { 4 }

  /// The lines of the table.
  /// - Parameters:
  ///   - width: the largest width of a line, or `nil` if nothing may be cut or left out.
  ///   - paint: gives text a colour.
  func text(width: Int?, paint: (String, Terminal.Color) -> String = { text, _ in text }) -> String {
    let cells = rows.map { row in columns.map { column in column.text(row) }.map { $0.isEmpty ? Self.none : $0 } }
    let natural = columns.indices.map { index in
      cells.reduce(columns[index].title.displayWidth) { max($0, $1[index].displayWidth) }
    }
    let places = fitted(natural, to: width)
    let head = line(columns.map(\.title), places) { title, _ in title }
    let lines = zip(rows, cells).map { row, cells in
      line(cells, places) { cell, column in columns[column].color?(row).map { paint(cell, $0) } ?? cell }
    }
    return ([head] + lines).joined(separator: "\n")
  }

  private typealias Place = (column: Int, width: Int)

  private func line(_ cells: [String], _ places: [Place], paint: (String, Int) -> String) -> String {
    var line = ""
    var space = 0
    for place in places {
      let cell = cells[place.column].cut(to: place.width)
      line += String(repeating: " ", count: space) + paint(cell, place.column)
      space = place.width - cell.displayWidth + Self.gap
    }
    return line
  }

  /// The columns that fit, with their widths.
  /// - Parameter natural: the natural width of each column.
  private func fitted(_ natural: [Int], to width: Int?) -> [Place] {
    guard let width else { return natural.enumerated().map { ($0.offset, $0.element) } }
    var shown = Array(columns.indices)
    func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + Self.gap * (widths.count - 1) }
    func least(_ column: Int) -> Int { min(natural[column], columns[column].least ?? natural[column]) }
    // The least important columns are left out until there is room for the rest.
    while total(shown.map(least)) > width, let last = shown.filter({ columns[$0].rank > 0 }).max(by: isMoreImportant) {
      shown.removeAll { $0 == last }
    }
    var widths = shown.map(least)
    if total(widths) > width {
      func worst(_ column: Int) -> Int { columns[column].least == nil ? natural[column] : min(natural[column], Self.narrowest) }
      while shown.count > 1, total(shown.map(worst)) > width { shown.removeLast() }
      widths = shown.count == 1 ? [min(worst(shown[0]), width)] : shown.map(worst)
    }
    // The remaining room goes to the most important columns first.
    for place in shown.indices.sorted(by: { isMoreImportant(shown[$0], shown[$1]) }) {
      widths[place] += max(0, min(natural[shown[place]] - widths[place], width - total(widths)))
    }
    return zip(shown, widths).map { ($0, $1) }
  }

  private func isMoreImportant(_ a: Int, _ b: Int) -> Bool { (columns[a].rank, a) < (columns[b].rank, b) }
}
