/// The time for which a server asks not to be contacted: the HTTP field `Retry-After`, which holds seconds or a date (RFC 9110, 5.6.7 and
/// 10.2.3).
enum RetryAfter {
  /// The longest wait. A server that asks for more is asked again after this.
  static let longest = Duration.seconds(86_400)

  /// - Parameters:
  ///   - text: the field's value.
  ///   - date: the value of the field `Date`, the server's own time: a date must not depend on our clock.
  ///   - now: our time, in Unix time, for servers that do not send theirs.
  /// - Returns: `nil` if the value is malformed.
  static func wait(_ text: String, date: String?, now: Int64) -> Duration? {
    let text = trimmed(text)
    if !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // More digits than fit are a very long time.
      return Int64(text).map { min(.seconds($0), longest) } ?? longest
    }
    guard let end = unixTime(text) else { return nil }
    let start = date.flatMap { unixTime(trimmed($0)) } ?? now
    return min(.seconds(max(0, end - start)), longest)
  }

  /// Reads a date in one of the three forms of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`,
  /// `Sun Nov  6 08:49:37 1994`.
  static func unixTime(_ text: Substring) -> Int64? {
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
    let day, month, year, clock: Substring
    switch words.count {
    case 6 where words[5] == "GMT": (day, month, year, clock) = (words[1], words[2], words[3], words[4])
    case 5: (month, day, clock, year) = (words[1], words[2], words[3], words[4])
    default: return nil
    }
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let times = clock.split(separator: ":", omittingEmptySubsequences: false).map(number)
    guard let month = names.firstIndex(of: String(month)), let day = number(day), var year = number(year), times.count == 3,
      let hour = times[0], let minute = times[1], let second = times[2], (1...31).contains(day), (0...23).contains(hour),
      (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    if year < 100 { year += year < 70 ? 2000 : 1900 }
    return days(year, month + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second
  }

  /// Days from 1970-01-01 to a day of the Gregorian calendar. The year begins with March, so that the odd day comes last.
  private static func days(_ year: Int64, _ month: Int, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = Int64(153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }

  private static func number(_ text: Substring) -> Int64? {
    guard (1...4).contains(text.utf8.count) else { return nil }
    return text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int64(text) : nil
  }

  private static func trimmed(_ text: String) -> Substring {
    var text = text[...]
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}
