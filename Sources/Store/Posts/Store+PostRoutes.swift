public import Channels
internal import GRDB
public import Storage

// Where the posts of channels go.
extension Store {
  /// All routes of these channels, in the order of channel and relay.
  /// - Throws: `corrupt` when one of them is damaged: without it the relays of its channel's posts are unknown.
  public func postRoutes(of channels: Set<ChannelID>) throws -> [PostRouteRow] {
    try reading { pool in
      try pool.read { db in
        let routes = try RowsOfID("SELECT * FROM post_routes WHERE channel_id = ? ORDER BY relay_id", db)
        var found: [PostRouteRow] = []
        for channel in channels.sorted() {
          try routes.each(channel.rawValue) { found.append(try PostRouteRow(&$0)) }
        }
        return found
      }
    }
  }

  /// The channels that have routes. It walks through an index of all routes.
  public func channelsWithPosts(among slots: SlotSet = .all) throws -> Set<ChannelID> {
    try reading { pool in
      try pool.read { db in
        let ids = try Int64.fetchAll(
          db, cached: "SELECT DISTINCT channel_id FROM post_routes\(slots.onlyCondition())")
        return Set(ids.map(ChannelID.init(rawValue:)))
      }
    }
  }

  /// Routes that are joining or leaving, in the order of channel and relay. A damaged route is noted and left out, so that it does not
  /// delay the posts of other channels.
  public func postRoutesUnderWay(among slots: SlotSet = .all) throws -> [PostRouteRow] {
    try readableRoutes(
      """
      SELECT * FROM post_routes INDEXED BY post_routes_under_way
      WHERE status IN ('joining', 'leaving')\(slots.condition()) ORDER BY channel_id, relay_id
      """, [])
  }

  /// The routes that a query finds. A damaged route is noted and left out.
  func readableRoutes(_ sql: String, _ arguments: StatementArguments) throws -> [PostRouteRow] {
    try reading { pool in
      try pool.read { db in
        let found = try Self.read(db, cached: sql, arguments: arguments) { values -> PostRouteRow? in
          do { return try PostRouteRow(&values) } catch {
            _ = noted(error)
            return nil
          }
        }
        return found.compactMap { $0 }
      }
    }
  }

  /// Channels with routes that do not fit their relays any more, by id: a relay without a route, or with a route that is `leaving` or
  /// `left`. Or a route that is `joining` or `joined` of a relay that was removed. It walks through all routes.
  public func channelsToRoute(among slots: SlotSet = .all) throws -> [ChannelID] {
    try reading { pool in
      try pool.read { db in
        try Int64.fetchAll(db, cached: Self.routesThatDoNotFit(slots.condition("p.channel_id"))).map(ChannelID.init(rawValue:))
      }
    }
  }

  /// - Parameter more: further conditions on `p.channel_id`.
  package static func routesThatDoNotFit(_ more: String) -> String {
    """
    SELECT p.channel_id FROM (SELECT DISTINCT channel_id FROM post_routes) p
    WHERE EXISTS (
      SELECT 1 FROM channel_relays m LEFT JOIN post_routes r ON r.channel_id = m.channel_id AND r.relay_id = m.relay_id
      WHERE m.channel_id = p.channel_id
        AND (m.status <> 'removed') <> (r.status IS NOT NULL AND r.status IN ('joining', 'joined')))\(more)
    ORDER BY p.channel_id
    """
  }
}
