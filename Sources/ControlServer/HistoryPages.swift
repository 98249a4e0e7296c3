internal import Channels
internal import ControlAPI
internal import Filters
internal import Storage
internal import StrictJSON
internal import Varlink

/// A line of a history that is listed with the latest first.
protocol HistoryEntry: ListedObject {
  var revision: Int64 { get }
  /// RFC 3339 in UTC.
  var time: String { get }
}

extension ChannelTransition: HistoryEntry {}
extension HealthChange: HistoryEntry {}

/// Pages of a history, the latest line first.
struct HistoryPages<Line: HistoryEntry>: Sendable {
  /// Some lines, the latest first, and the revision before which others may come, or `nil` if there are none.
  typealias Part = (lines: [Line], next: Int64?)

  /// How many questions to storage one page may take, and how many lines each asks for at least.
  private static var questionsMax: Int { 10 }
  private static var questionMin: Int { 200 }
  /// How much later than it happened a line may be dated, in milliseconds, when the end of a list is determined.
  private static var slack: Int64 { 86_400_000 }

  let filter: Filter
  private let context: ControlContext
  private let limit: Int
  /// Once a line is dated before this time, no wanted line can follow. `nil` if there is no such time.
  private let end: String?
  /// The revision before which the next page begins, or `nil` for the first.
  private var place: Int64?

  /// - Parameters:
  ///   - fields: the fields of a line.
  ///   - isDated: whether lines are dated when they are written, up to a clock that was set.
  /// - Throws: `invalidFilter`, or `InvalidParameter`.
  init(
    filter: JSONValue?, limit wanted: Int?, cursor: String?, fields: ListFields, isDated: Bool,
    _ context: ControlContext
  ) throws {
    self.context = context
    let limits = context.listLimits
    let wanted = wanted ?? ListQuery.limitDefault
    guard (1...ListQuery.limitMax).contains(wanted) else { throw VarlinkError.invalidParameter("limit") }
    limit = min(wanted, limits.pageMax)
    do throws(Filter.Invalid) {
      self.filter = try Filter(filter, known: fields, limits: limits.filter)
    } catch {
      throw MonitorRefusal.invalidFilter(path: error.path, reason: error.reason)
    }
    end = (isDated ? self.filter.least(at: "time") : nil).flatMap(Self.time).map {
      Timestamp(milliseconds: $0 - Self.slack).text
    }
    place = try cursor.map { cursor in
      guard let revision = Int64(cursor), revision > 0, String(revision) == cursor else {
        throw MonitorRefusal.invalidFilter(path: "cursor", reason: "it does not come from a list of this kind")
      }
      return revision
    }
  }

  /// A time whose beginning is known, at the earliest, in milliseconds.
  private static func time(_ beginning: String) -> Int64? {
    let earliest = "0000-01-01T00:00:00.000Z"
    return RFC3339.milliseconds(beginning + earliest.dropFirst(beginning.count))
  }

  /// The next page.
  /// - Parameters:
  ///   - revision: the newest one.
  ///   - read: gives at most `limit` lines before a revision.
  /// - Returns: the lines, and where the page after it begins, or `nil` if there is none.
  mutating func next(
    at revision: Int64, _ read: (_ before: Int64, _ limit: Int) async throws -> Part
  ) async throws -> (lines: [Line], cursor: String?) {
    // No page gave a place beyond the newest line.
    var before: Int64? = min(place ?? .max, revision + 1)
    var lines: [Line] = []
    for _ in 0..<Self.questionsMax {
      guard let from = before, lines.count < limit else { break }
      let part = try await read(from, max(limit, Self.questionMin))
      let (all, filter, room) = (part.lines, filter, limit - lines.count)
      lines += try await context.slowly { Array(all.lazy.filter { line in filter.matches { line[$0] } }.prefix(room)) }
      before = part.next
      // Earlier lines of this part belong to the next page.
      if lines.count == limit, let last = lines.last, last.revision != part.lines.last?.revision {
        before = last.revision
      } else if let end, let last = part.lines.last, last.time < end {
        before = nil
      }
    }
    place = before
    return (lines, before.map { String($0) })
  }
}
