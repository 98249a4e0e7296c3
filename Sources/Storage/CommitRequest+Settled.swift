// A request with the revisions that it has once it is durable.

extension CommitRequest {
  /// The writes that became durable, in their order, with their revisions.
  /// - Parameter receipt: the one for this request.
  public func settled(by receipt: CommitReceipt) -> [StoreMutation] {
    parts.enumerated().filter { receipt.rejections[$0.offset] == nil }
      .flatMap { $0.element.mutations.map { $0.settled(base: receipt.base, postBase: receipt.postBase) } }
  }
}

extension StoreMutation {
  /// The same write with its revision.
  /// - Parameters:
  ///   - base: the receipt's base.
  ///   - postBase: the receipt's base for posts.
  public func settled(base: Int64, postBase: Int64) -> StoreMutation {
    func settle(_ revision: inout Int64) { revision = PendingRevision.settled(revision, base: base) }
    func settlePost(_ revision: inout Int64) { revision = PendingRevision.settled(revision, base: postBase) }
    switch self {
    case .insertChannel(var row):
      settle(&row.revision)
      return .insertChannel(row)
    case .touchChannel(var row):
      settle(&row.revision)
      return .touchChannel(row)
    case .rewriteChannel(var row):
      settle(&row.revision)
      return .rewriteChannel(row)
    case .saveOperator(var row):
      settle(&row.revision)
      return .saveOperator(row)
    case .saveServer(var row):
      settle(&row.revision)
      return .saveServer(row)
    case .saveRelay(var row):
      settle(&row.revision)
      return .saveRelay(row)
    case .appendTransition(let row): return .appendTransition(row.settled(base: base))
    case .appendChange(let row): return .appendChange(row.settled(base: base))
    case .appendHealth(let row): return .appendHealth(row.settled(base: base))
    case .insertPost(var row):
      settlePost(&row.revision)
      return .insertPost(row)
    case .updatePost(var row):
      settlePost(&row.revision)
      return .updatePost(row)
    case .rewritePost(var row):
      settlePost(&row.revision)
      return .rewritePost(row)
    case .appendPostTransition(var row):
      settlePost(&row.revision)
      return .appendPostTransition(row)
    case .saveChannelRelay, .recordRoundTrip, .insertIdentity, .removeIdentity, .probe, .quarantine, .clampTimes,
      .forgetHistory, .compactChanges, .saveDelivery, .savePostRoute, .savePostRetention, .forgetPostHistory,
      .decide:
      return self
    }
  }
}

extension TransitionRow {
  /// The same row with its revision.
  /// - Parameter base: the receipt's base.
  public func settled(base: Int64) -> TransitionRow {
    var row = self
    row.revision = PendingRevision.settled(revision, base: base)
    return row
  }
}

extension ChangeRow {
  /// The same row with its revision.
  /// - Parameter base: the receipt's base.
  public func settled(base: Int64) -> ChangeRow {
    var row = self
    row.revision = PendingRevision.settled(revision, base: base)
    if case .channelRelay(let transition) = object { row.object = .channelRelay(transition.settled(base: base)) }
    return row
  }
}
