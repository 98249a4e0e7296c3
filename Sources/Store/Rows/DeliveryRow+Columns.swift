package import Channels
package import Storage

extension DeliveryRow {
  /// The values of all columns except the sum, in the order of `SummedTable.deliveries`.
  package func bind(to row: inout some RowSink, _ post: PostID) {
    row.bind(post.rawValue)
    row.bind(relay.rawValue)
    row.bind(record.status.rawValue)
    row.bind(record.since.milliseconds)
    row.bind(record.operation)
    row.bind(record.left)
    row.bind(record.shown)
    row.bind(record.isDeletionRequested)
    row.bind(record.trouble?.cause.rawValue)
    row.bind(record.trouble?.detail)
    row.bind(record.task?.rawValue)
    row.bind(record.attempt)
    row.bind(record.repair)
    row.bind(record.startedAt?.milliseconds)
    row.bind(record.isUnderWay)
    row.bind(record.timer?.milliseconds)
    row.bind(hasDeparted)
  }

  /// The row that `values` reads, in the order of `SummedTable.deliveries`.
  /// - Parameter post: the post that it belongs to, in its current edition.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or contradicts itself.
  package init(of post: PostRow, _ values: inout some RowSource) throws {
    _ = values.integer()
    let relay = RelayID(rawValue: values.integer())
    let (status, since, operation) = (values.text(), values.integer(), values.count())
    let (left, shown, isDeletionRequested) = (values.count(), values.count(), values.flag())
    let (cause, detail, task) = (values.textIfAny(), values.textIfAny(), values.textIfAny())
    let (attempt, repair, startedAt) = (values.count(), values.count(), values.integerIfAny())
    let (isUnderWay, timer, hasDeparted) = (values.flag(), values.integerIfAny(), values.flag())
    try values.end(.deliveries)

    let knownCause = cause.flatMap(Cause.init(rawValue:))
    let knownTask = task.flatMap(DeliveryMachine.Work.Task.init(rawValue:))
    guard let knownStatus = DeliveryStatus(rawValue: status), (knownCause == nil) == (cause == nil),
      (knownTask == nil) == (task == nil)
    else { throw Self.unreadable(post.id, relay) }
    let record = DeliveryRecord(
      status: knownStatus, since: Timestamp(milliseconds: since), operation: operation, left: left, shown: shown,
      isDeletionRequested: isDeletionRequested, trouble: knownCause.map { Trouble($0, detail ?? "") }, task: knownTask,
      attempt: attempt, repair: repair, startedAt: startedAt.map(Timestamp.init(milliseconds:)), isUnderWay: isUnderWay,
      timer: timer.map(Timestamp.init(milliseconds:)))
    guard record.machine(salt: 0, edition: post.edition) != nil else { throw Self.unreadable(post.id, relay) }
    self.init(relay: relay, record: record, hasDeparted: hasDeparted)
  }

  private static func unreadable(_ post: PostID, _ relay: RelayID) -> StoreError {
    StoreError(
      .corrupt,
      "post \(post.rawValue): the state of its delivery at relay \(relay.rawValue) contradicts itself. Restore a backup")
  }
}

extension PostRouteRow {
  /// The values of all columns except the sum, in the order of `SummedTable.postRoutes`.
  package func bind(to row: inout some RowSink) {
    row.bind(channel.rawValue)
    row.bind(relay.rawValue)
    row.bind(status.rawValue)
    row.bind(cursor.rawValue)
    row.bind(compareAt?.milliseconds)
    row.bind(comparedAt?.milliseconds)
  }

  /// The row that `values` reads, in the order of `SummedTable.postRoutes`.
  /// - Throws: `StoreError.corrupt` when the row is damaged, or has an unknown status.
  package init(_ values: inout some RowSource) throws {
    let (channel, relay) = (ChannelID(rawValue: values.integer()), RelayID(rawValue: values.integer()))
    let (word, cursor) = (values.text(), PostID(rawValue: values.integer()))
    let (compareAt, comparedAt) = (values.integerIfAny(), values.integerIfAny())
    try values.end(.postRoutes)
    guard let status = Status(rawValue: word) else { throw values.unreadable(.postRoutes) }
    self.init(
      channel: channel, relay: relay, status: status, cursor: cursor, compareAt: compareAt.map(Timestamp.init(milliseconds:)),
      comparedAt: comparedAt.map(Timestamp.init(milliseconds:)))
  }
}
