internal import RelayNetwork
public import Storage

extension Coordinator {
  /// Sets how long posts of a channel are kept. Posts beyond that are forgotten soon, for good. Returns once that is durable.
  /// - Throws: `invalidRetention` if a number is out of its bounds. `notSupported` if there is a limit, and posts of the channel are never
  ///   forgotten.
  public func setRetention(_ retention: PostRetention) async throws(BatonError) -> PostRetention {
    try Self.check(retention.days, "keepDays", PostRetention.daysRange, "days")
    try Self.check(retention.count, "keepCount", PostRetention.countRange, "posts")
    if !retention.isUnlimited {
      let channel = try await ownChannel(retention.channel)
      let network = try network(of: channel)
      if let reason = network.whyNotForgotten(in: channel.row.content) {
        throw .post(.notSupported(network.kind, reason: reason))
      }
    }
    return try await askPosts { .setRetention(retention, $0) }
  }

  private static func check(
    _ value: Int?, _ field: String, _ bounds: ClosedRange<Int>, _ noun: String
  ) throws(BatonError) {
    guard let value, !bounds.contains(value) else { return }
    throw .post(
      .invalidRetention(
        field: field,
        reason: "it must be \(bounds.lowerBound) to \(bounds.upperBound) \(noun), or absent for no limit. Change it"))
  }
}
