import Channels
import Foundation
import NIOCore
import NIOPosix
import Testing

@testable import Dialing

/// Names are looked up by a few threads, and names that do not resolve do not keep others from being found.
struct HostLookupTests {
  /// A resolver that answers nothing for names that begin with `dead` until it is told to.
  private final class Resolver: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = false
    private var underWay = 0
    private var most = 0
    private var asked: [String: Int] = [:]

    func lookUp(_ host: String) -> Result<[SocketAddress], any Error> {
      condition.lock()
      defer { condition.unlock() }
      underWay += 1
      most = max(most, underWay)
      asked[host, default: 0] += 1
      while host.hasPrefix("dead"), !isOpen { condition.wait() }
      underWay -= 1
      if host.hasPrefix("dead") { return .failure(PeerFailure(.unreachable, "the name \(host) does not resolve")) }
      return Result { [try SocketAddress(ipAddress: "192.0.2.1", port: 0)] }
    }

    /// From now on lookups end, or do not.
    func set(isOpen: Bool) {
      condition.lock()
      self.isOpen = isOpen
      condition.broadcast()
      condition.unlock()
    }

    var figures: (underWay: Int, most: Int, asked: [String: Int]) {
      condition.lock()
      defer { condition.unlock() }
      return (underWay, most, asked)
    }

    func wait(until isThere: ((underWay: Int, most: Int, asked: [String: Int])) -> Bool) async {
      while !isThere(figures) { await Task.yield() }
    }
  }

  private let resolver = Resolver()
  private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

  private func lookup(threads: Int) -> HostLookup {
    HostLookup(threadsMax: threads) { [resolver] in resolver.lookUp($0) }
  }

  /// Asks for many names at once and says why each was not found.
  private func ask(_ lookup: HostLookup, _ names: [String], within limit: Duration = .seconds(600)) async -> [Cause] {
    await withTaskGroup(of: Cause?.self) { group in
      for name in names {
        group.addTask { [eventLoop] in
          do throws(PeerFailure) {
            _ = try await lookup.addresses(of: name, port: 443, within: limit, on: eventLoop)
            return nil
          } catch {
            return error.trouble.cause
          }
        }
      }
      return await group.reduce(into: []) { if let cause = $1 { $0.append(cause) } }
    }
  }

  @Test func fifteenHundredNamesThatDoNotResolveAreAFewThreads() async throws {
    let lookup = lookup(threads: 8)
    let names = (0..<1_500).map { "dead-\($0).example" }
    async let first = ask(lookup, names)
    await resolver.wait { $0.underWay == 8 }
    resolver.set(isOpen: true)
    #expect(await first == [Cause](repeating: .unreachable, count: 1_500))
    #expect(resolver.figures.most == 8 && resolver.figures.asked.values.allSatisfy { $0 == 1 })

    // Known to fail, they get half of the threads, and a name that may resolve goes before them.
    resolver.set(isOpen: false)
    async let second = ask(lookup, names)
    await resolver.wait { $0.underWay == 4 }
    let found = try await lookup.addresses(of: "alive.example", port: 443, within: .seconds(600), on: eventLoop)
    #expect(found.map(\.briefly) == ["192.0.2.1:443"] && resolver.figures.underWay == 4)
    resolver.set(isOpen: true)
    #expect(await second.count == 1_500)
    #expect(resolver.figures.most == 8)
  }

  @Test func nameIsLookedUpOnceHoweverManyWaitForIt() async throws {
    let lookup = lookup(threads: 8)
    async let all = ask(lookup, [String](repeating: "dead.example", count: 100))
    await resolver.wait { $0.underWay == 1 }
    resolver.set(isOpen: true)
    #expect(await all.count == 100)
    // Who came late may have asked once more; no one asked beside another.
    #expect(resolver.figures.most == 1)
  }

  @Test func namesThatNobodyWaitsForAnyMoreAreNotLookedUp() async throws {
    let lookup = lookup(threads: 2)
    // Two hang, and the others wait in vain for them.
    async let hanging = ask(lookup, (0..<2).map { "dead-\($0).example" })
    await resolver.wait { $0.underWay == 2 }
    let causes = await ask(lookup, (2..<100).map { "dead-\($0).example" }, within: .milliseconds(50))
    #expect(causes == [Cause](repeating: .timeout, count: 98))
    resolver.set(isOpen: true)
    #expect(await hanging == [.unreachable, .unreachable])
    _ = try await lookup.addresses(of: "alive.example", port: 443, within: .seconds(600), on: eventLoop)
    #expect(resolver.figures.asked.count == 3, "the two that hung, and the one that is wanted")
  }
}
