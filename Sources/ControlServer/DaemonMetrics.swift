internal import Channels
internal import ControlAPI
internal import Coordinator
internal import Foundation
internal import Glibc
internal import Meters
internal import NIOConcurrencyHelpers
internal import Storage

/// All figures of the daemon at one moment.
struct DaemonMetrics: Sendable {
  private let context: ControlContext
  /// Storage's figures of channels, or `nil` if storage does not answer, which other figures show.
  private let census: Census?
  private let daemons: [SharedStoreDaemon]?
  private let cores: [Storage.SharedCore]

  init(_ context: ControlContext) async throws {
    self.context = context
    do {
      census = try await context.figures().value.census
    } catch is StoreError {
      census = nil
    }
    // The daemon's own figures do not depend on the other daemons.
    daemons = try? await context.sharing?.daemons()
    cores = (try? await context.sharing?.cores()) ?? []
  }

  /// In the order of the table.
  var all: [MetricSample] {
    let samples = ofChannels + ofCatalog + ofControl + ofStorage + ofCluster + ofProcess + context.coordinator.metrics.samples
    let places = Dictionary(uniqueKeysWithValues: MetricFamily.all.enumerated().map { ($0.element.name, $0.offset) })
    return samples.enumerated().sorted {
      (places[$0.element.family.name] ?? 0, $0.offset) < (places[$1.element.family.name] ?? 0, $1.offset)
    }.map(\.element)
  }

  /// A time of the daemon's clock as the time of day, which readers compare with their own clocks. The two differ if someone set the
  /// machine's clock since the start.
  private func timeOfDay(_ time: Timestamp) -> Timestamp {
    time + (context.coordinator.timeOfDay - context.coordinator.now)
  }

  private var ofChannels: [MetricSample] {
    guard let census else { return [] }
    let relays = Dictionary(uniqueKeysWithValues: context.coordinator.relays.map { ($0.id, $0) })
    var members: [NetworkKind: [RelayStatus: Int]] = [:]
    for part in census.members {
      if let network = relays[part.relay]?.network { members[network, default: [:]][part.status, default: 0] += part.count }
    }
    var samples = [
      MetricSample(.quarantined, census.quarantined),
      MetricSample(.oldestUnderWay, census.oldestAttempt.map { timeOfDay($0).seconds } ?? 0),
    ]
    for network in NetworkKind.allCases {
      samples.append(MetricSample(.onNoRelay, [network.rawValue], census.onNoRelay[network] ?? 0))
      for phase in ChannelPhase.allCases {
        let count = census.channels.first { $0.network == network && $0.phase == phase }?.count ?? 0
        samples.append(MetricSample(.channels, [network.rawValue, phase.rawValue], count))
      }
      for status in RelayStatus.allCases where status != .removed {
        samples.append(
          MetricSample(.channelRelays, [network.rawValue, status.rawValue], members[network]?[status] ?? 0))
      }
    }
    return samples
  }

  private var ofCatalog: [MetricSample] {
    let (relays, servers) = (context.coordinator.enabledRelays, context.coordinator.enabledServers)
    var samples: [MetricSample] = []
    for health in PeerCondition.Health.allCases {
      for network in NetworkKind.allCases {
        let count = relays.count { $0.network == network && $0.condition.health == health }
        samples.append(MetricSample(.relays, [network.rawValue, health.rawValue], count))
      }
      for transport in ServerProtocol.allCases {
        let count = servers.count { $0.transport == transport && $0.condition.health == health }
        samples.append(MetricSample(.servers, [transport.rawValue, health.rawValue], count))
      }
    }
    return samples
  }

  private var ofControl: [MetricSample] {
    let hub = context.coordinator.hub
    let waiting = context.coordinator.requestsWaiting
    return [
      MetricSample(.build, [context.version], 1), MetricSample(.underWay, context.coordinator.liveChannelCount),
      MetricSample(.subscribers, hub.subscriberCount),
      MetricSample(.subscribersBehind, hub.figures.falls), MetricSample(.changesKept, hub.figures.bytes),
      MetricSample(.changesEncoded, hub.figures.messages),
    ] + waiting.counts.map { MetricSample(.inbox, [$0.kind], $0.count) }
      + waiting.counts.map { MetricSample(.inboxLimit, [$0.kind], waiting.max) }
  }

  private var ofStorage: [MetricSample] {
    [
      MetricSample(.writable, context.coordinator.storageTrouble == nil ? 1 : 0),
      MetricSample(.revision, context.coordinator.hub.revision),
      MetricSample(.reload, context.declarationsTrouble() == nil ? 1 : 0),
    ] + ofFile
  }

  /// Figures that only a database in a file has. A server looks after its own.
  private var ofFile: [MetricSample] {
    guard context.sharing == nil else { return [] }
    return [
      MetricSample(.damage, context.store.damageFound.count),
      MetricSample(.backup, context.lastBackup.withLockedValue { $0 }?.seconds ?? 0),
    ]
  }

  private var ofCluster: [MetricSample] {
    guard let daemons else { return [] }
    return SharedStoreDaemon.State.allCases.map { state in
      MetricSample(.daemons, [state.rawValue], daemons.count { $0.state == state })
    } + [
      MetricSample(.otherFiles, daemons.count { $0.hasOtherFiles(than: daemons) }),
      MetricSample(.waiting, cores.filter { !$0.isThere }.reduce(0) { $0 + $1.channels }),
    ]
  }

  private var ofProcess: [MetricSample] {
    func words(_ path: String) -> [Substring] {
      (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? []
    }
    // The second field is the name in parentheses, and the name of this program has no space.
    let (stat, memory) = (words("/proc/self/stat"), words("/proc/self/statm"))
    let ticks = [13, 14].reduce(0.0) { $0 + (stat.indices.contains($1) ? Double(stat[$1]) ?? 0 : 0) }
    var limit = rlimit()
    let hasLimit = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    return [
      MetricSample(.processorTime, (ticks / Double(sysconf(CInt(_SC_CLK_TCK))))),
      MetricSample(
        .memory, (memory.count > 1 ? Int64(memory[1]) ?? 0 : 0) * Int64(sysconf(CInt(_SC_PAGESIZE)))),
      MetricSample(.start, timeOfDay(context.startedAt).seconds), MetricSample(.files, files),
      MetricSample(.filesMax, hasLimit ? Int64(clamping: limit.rlim_cur) : 0),
    ]
  }
}

extension Timestamp {
  /// Since the epoch.
  fileprivate var seconds: Double { Double(milliseconds) / 1_000 }
}

extension Metric {
  init(_ sample: MetricSample) {
    let (family, labels) = (sample.family, sample.labels)
    let (value, buckets): (Double, [MetricBucket]?)
    switch sample.value {
    case .number(let number): (value, buckets) = (number, nil)
    case .spread(let counts, let sum):
      var total = 0
      buckets = counts.enumerated().map { place, count in
        total += count
        return MetricBucket(atMost: place < family.bounds.count ? family.bounds[place] : nil, count: total)
      }
      value = sum
    }
    self.init(
      name: family.name, kind: family.kind.rawValue, label: labels.isEmpty ? nil : labels.joined(separator: " "),
      labels: zip(family.labels, labels).map { MetricLabel(name: $0, value: $1) }, value: value, buckets: buckets,
      description: family.help)
  }
}
