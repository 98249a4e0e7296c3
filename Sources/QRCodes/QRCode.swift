internal import CQREncode

/// A QR code (libqrencode), for terminals and for pages.
public struct QRCode {
  private let width: Int
  private let modules: [Bool]
  /// Light modules around the code that readers need.
  private static let margin = 2

  /// - Returns: `nil` if `text` is too long for a QR code.
  public init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    modules = (0..<(width * width)).map { data[$0] & 1 == 1 }
  }

  /// The width of `text` in columns.
  public var columns: Int { width + 2 * Self.margin }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return modules[row * width + column]
  }

  /// The code as text, two rows of modules per line. With `hasColor` it is black on white in any terminal. Without, it suits a dark
  /// terminal.
  public func text(hasColor: Bool) -> String {
    let span = (-Self.margin)..<(width + Self.margin)
    return stride(from: span.lowerBound, to: span.upperBound, by: 2).map { row in
      let cells = span.map { column -> String in
        let (upper, lower) = (isDark(row, column), isDark(row + 1, column))
        return switch (upper, lower) {
        case (false, false): "█"
        case (false, true): "▀"
        case (true, false): "▄"
        case (true, true): " "
        }
      }
      let line = cells.joined()
      return hasColor ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
    }
    .joined(separator: "\n")
  }

  /// The dark modules as the path of an SVG image that is as wide and high as `columns`.
  public var path: String {
    var path = ""
    for row in 0..<width {
      for column in 0..<width where isDark(row, column) {
        path += "M\(column + Self.margin) \(row + Self.margin)h1v1h-1z"
      }
    }
    return path
  }

  /// The code as an SVG image.
  public var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(columns) \(columns)" shape-rendering="crispEdges">\
    <rect width="\(columns)" height="\(columns)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>

    """
  }
}
