/// The columns that a write changes when it does not change all of a row.
package enum ChangingColumns {
  /// Of a channel whose revision, times or number of relays change.
  package static let ofTouchedChannel = ["revision", "updated_at", "deleted_at", "wanted_relays", "relay_count"]
  /// Of a post that was published.
  package static let ofPost = [
    "revision", "replaces", "replaced_by", "edition", "delivery_count", "deleted_at", "deletion_id", "deletion_author",
    "deletion",
  ]
  /// Of a post that has a schedule, is signed again, or is forgotten.
  package static let ofRewrittenPost =
    ofPost + [
      "created_at", "forgotten_at", "network_id", "author", "text", "document", "publish_at", "tolerance", "schedule_trouble",
      "request",
    ]
}
