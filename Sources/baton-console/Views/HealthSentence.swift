/// The state of everything, in a few sentences.
struct HealthSentence {
  /// Baton's own channels.
  var channels = 0
  /// Own channels that have fewer relays than they should, and get no others.
  var lacking = 0
  /// Own channels that are on their way to relays.
  var underWay = 0
  var relays = 0
  /// Enabled relays that cannot be reached.
  var relaysDown = 0
  /// Whether changes can be stored.
  var canStore = true

  /// - Parameter counts: channels by phase.
  init(_ counts: [(phase: String, channels: Int)] = []) {
    for count in counts {
      switch count.phase {
      case "deleting", "deleted", "followed": continue
      case "degraded", "failed": lacking += count.channels
      case "creating", "partial": underWay += count.channels
      default: break
      }
      channels += count.channels
    }
  }

  var text: String {
    var parts: [String] = []
    if !canStore { parts.append("the daemon cannot store changes") }
    if lacking > 0 {
      parts.append("\(Self.share(lacking, of: channels, "channel")) \(lacking == 1 ? "lacks" : "lack") relays")
    }
    if relaysDown > 0 {
      parts.append("\(Self.share(relaysDown, of: relays, "relay")) \(relaysDown == 1 ? "is" : "are") down")
    }
    if parts.isEmpty { parts.append(allIsWell) }
    if underWay > 0 {
      parts.append("\(Self.share(underWay, of: channels, "channel")) \(underWay == 1 ? "is" : "are") on the way to relays")
    }
    return parts.map(Self.sentence).joined(separator: " ")
  }

  private static func sentence(_ part: String) -> String { part.prefix(1).uppercased() + part.dropFirst() + "." }

  private var allIsWell: String {
    switch channels - underWay {
    case 0: channels == 0 ? "there are no channels yet" : "no problems"
    case 1 where channels == 1: "the channel is on all of its relays"
    case let settled where settled == channels: "all \(grouped(settled)) channels are on all of their relays"
    case 1: "1 channel is on all of its relays"
    case let settled: "\(grouped(settled)) channels are on all of their relays"
    }
  }

  private static func share(_ part: Int, of all: Int, _ noun: String) -> String {
    let kinds = "\(grouped(all)) \(noun)\(all == 1 ? "" : "s")"
    return part == all ? kinds : "\(grouped(part)) of \(kinds)"
  }
}
