// The tables of posts.
extension SummedTable {
  package static let posts = SummedTable(
    name: "posts", key: ["id"],
    columns: [
      "id", "channel_id", "revision", "reply_to", "replaces", "replaced_by", "reaction_to", "edition", "delivery_count",
      "created_at", "forgotten_at", "deleted_at", "idempotency_key", "request_digest", "quotes", "network_id", "author", "text",
      "document", "deletion_id",
      "deletion_author", "deletion", "publish_at", "tolerance", "schedule_trouble", "request", "about_act",
      "about_id", "about_author", "is_aside",
    ]
  ) { "post \(number($0, "id"))" }
  package static let deliveries = SummedTable(
    name: "deliveries", key: ["post_id", "relay_id"],
    columns: [
      "post_id", "relay_id", "status", "since", "operation", "left_edition", "shown_edition", "deletion_requested", "cause",
      "detail", "task", "attempt", "repair", "started_at", "under_way", "timer_at", "departed",
    ]
  ) { "the delivery of post \(number($0, "post_id")) at relay \(number($0, "relay_id"))" }
  package static let postRoutes = SummedTable(
    name: "post_routes", key: ["channel_id", "relay_id"],
    columns: ["channel_id", "relay_id", "status", "cursor", "compare_at", "compared_at"]
  ) { "the route of the posts of channel \(number($0, "channel_id")) to relay \(number($0, "relay_id"))" }
  package static let postTransitions = SummedTable(
    name: "post_transitions", key: ["revision"],
    columns: ["revision", "post_id", "relay_id", "from_status", "to_status", "cause", "detail", "attempt", "at"]
  ) { "the transition of post \(number($0, "post_id")) with revision \(number($0, "revision"))" }
  package static let postRetention = SummedTable(
    name: "post_retention", key: ["channel_id"], columns: ["channel_id", "keep_days", "keep_count"]
  ) { "the retention of the posts of channel \(number($0, "channel_id"))" }
}
