internal import Channels
internal import RelayNetwork
internal import Storage

// Groups for certain people.
extension Coordinator {
  /// Creates a closed and restricted group for these people, or returns the existing one. A separate post adds each of them, as
  /// `changeMembership` does. Returns once all of that is durable. After an interruption, the same request continues.
  /// - Parameters:
  ///   - request: the group. It has no idempotency key, because that follows from the people.
  ///   - names: the people, in the network's notation or in one that `author(from:)` reads.
  /// - Throws: `notSupported` if channels have no members there, and `invalidProfile` if a name is invalid on the network, among others.
  public func createGroup(_ request: ChannelRequest, of names: [String]) async throws(BatonError) -> ChannelSnapshot {
    let network = try network(of: request)
    guard request.kind == .group, network.kind == .nostr else {
      let reason = "anyone may read and join a channel, and only a group on Nostr is for certain people, so create a group"
      throw .post(.notSupported(network.kind, reason: reason))
    }
    var people: Set<String> = []
    for name in names {
      guard let person = network.author(from: name) else {
        throw .invalidProfile(
          field: "members", reason: "\(name.cut(toBytes: 100)) names no one. Write npub1…, nprofile1… or a public key")
      }
      people.insert(person)
    }
    // The owner of the group is a member anyway.
    let owner = request.identity ?? Self.mainIdentity
    if let own = directory.read({ $0.identities }).first(where: { $0.network == network.kind && $0.name == owner }) {
      people.remove(own.publicName)
    }
    guard !people.isEmpty else {
      throw .invalidProfile(field: "members", reason: "a group needs a member besides its owner. Name one")
    }
    var request = request
    request.access = Set(GroupAccess.allCases)
    let (group, isNew) = try await group(of: people, request)
    for person in people.sorted() {
      let change = MembershipChange(person: person, .member, letsIn: true)
      // People who were added before may have left since, or have been removed.
      if !isNew, try await hasWish(about: person, in: group.row.id) { continue }
      do throws(BatonError) {
        _ = try await changeMembership(in: group.row.id, change)
      } catch {
        guard case .post(.invalidPost(_, let reason)) = error else { throw error }
        throw .invalidProfile(field: "members", reason: reason)
      }
    }
    return group
  }

  /// The group of these people, which is created if it does not exist. Deleted groups do not count.
  private func group(
    of people: Set<String>, _ request: ChannelRequest
  ) async throws(BatonError) -> (group: ChannelSnapshot, isNew: Bool) {
    var request = request
    let identity = request.identity ?? Self.mainIdentity
    let name = ContentDigest.of(Array(([identity] + people.sorted()).joined(separator: "\n").utf8))
    var number = 1
    while true {
      let key = "members \(number) \(name)"
      guard let stored = try await storedChannel(idempotencyKey: key) else {
        request.idempotencyKey = key
        return (try await create(request), true)
      }
      if stored.row.deletedAt == nil { return (snapshot(stored), false) }
      number += 1
    }
  }

  /// Whether there was ever a request about this member in a channel, including requests that were given up.
  private func hasWish(about person: String, in channel: ChannelID) async throws(BatonError) -> Bool {
    guard let posts else { return false }
    let wish = PostReaction(target: .anyWish(in: channel, name: person), text: "")
    do {
      return try await posts.posts(reacting: [wish])[wish] != nil
    } catch {
      throw BatonError(reading: error)
    }
  }
}
