internal import QRCodes

extension Session {
  /// Text that ends with a link, with the link as a QR code below it.
  /// - Parameters:
  ///   - isWanted: whether to draw the code. `nil` draws it if everything fits the terminal, and otherwise explains how to get it.
  ///   - channel: the identifier of the channel.
  func withCode(_ text: String, of link: String, channel: Int64, isWanted: Bool?) -> String {
    guard isWanted ?? !Marks.current.isPlain, let code = QRCode(link) else { return text }
    let whole = text + "\n" + code.text(hasColor: terminal.hasColor)
    guard let size = terminal.size else { return isWanted == true ? whole : text }
    // A code with wrapped lines is unreadable. A code with too many rows can be scrolled.
    let isLegible = code.columns <= size.columns
    if isWanted == true ? isLegible : isLegible && whole.rows(in: size.columns) < size.rows { return whole }
    let start = isWanted == true ? whole : text
    guard !options.quiet else { return start }
    return start + "\nThe QR code needs \(code.columns) columns and \(whole.rows(in: code.columns) + 1) rows: "
      + "batonctl channel link \(channel) --qr-file FILE.svg writes it to a file."
  }
}
