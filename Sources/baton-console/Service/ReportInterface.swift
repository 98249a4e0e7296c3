internal import BatonClient
internal import ControlAPI
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import StrictJSON
internal import Varlink

/// `io.systemd.Metrics`, with which systemd (from version 260 on) collects figures of services. Each has a Varlink socket in
/// /run/systemd/report that serves nothing else.
struct ReportInterface: VarlinkInterface {
  let definition: IDL.Interface
  /// The current figures.
  let metrics: @Sendable () async throws -> [Metric]

  /// The beginning of the names of all figures. It is also the name of the socket, because systemd accepts no other names.
  static let prefix = "org.batond"

  init(metrics: @escaping @Sendable () async throws -> [Metric]) throws {
    definition = try IDL.parse(PageFiles["interfaces/io.systemd.Metrics.varlink"].text)
    self.metrics = metrics
  }

  /// One figure for systemd. It has no histograms, so they become two counters, as in systemd's services.
  struct Figure: Hashable {
    let name: String
    let kind: String
    let description: String
    let value: Double
    let labels: [String: String]
  }

  func answer(_ call: VarlinkCall, from peer: VarlinkPeer, stream: VarlinkStream) async throws -> EncodedParameters {
    let found: [Metric]
    do {
      found = try await metrics()
    } catch {
      // Without the daemon there are no figures, and the interface has this error for that.
      throw VarlinkError("\(definition.name).NoSuchMetric")
    }
    let figures = Self.figures(found)
    var replies: [EncodedParameters] = []
    switch call.name {
    case "List":
      replies = figures.map { figure in
        let fields: [String: JSONValue] =
          figure.labels.isEmpty ? [:] : ["fields": .object(figure.labels.mapValues(JSONValue.string))]
        let value = Int64(exactly: figure.value).map(JSONValue.integer) ?? .number(figure.value)
        return EncodedParameters(fields.merging(["name": .string(figure.name), "value": value]) { $1 })
      }
    default:
      var known: Set<String> = []
      for figure in figures where known.insert(figure.name).inserted {
        replies.append([
          "name": .string(figure.name), "description": .string(figure.description), "type": .string(figure.kind),
        ])
      }
    }
    guard let last = replies.popLast() else { throw VarlinkError("\(definition.name).NoSuchMetric") }
    for reply in replies { try await stream.send(reply) }
    return last
  }

  static func figures(_ metrics: [Metric]) -> [Figure] {
    metrics.flatMap { metric -> [Figure] in
      let labels = Dictionary(metric.labels.map { ($0.name, $0.value) }) { first, _ in first }
      func figure(_ name: String, _ kind: String, _ value: Double) -> Figure {
        Figure(name: name, kind: kind, description: metric.description, value: value, labels: labels)
      }
      guard let buckets = metric.buckets else { return [figure(name(of: metric.name), metric.kind, metric.value)] }
      let (base, unit) = split(metric.name)
      return [
        figure(name(of: base + "_count"), "counter", Double(buckets.last?.count ?? 0)),
        figure(name(of: base + "_sum" + unit), "counter", metric.value),
      ]
    }
  }

  /// The name of a histogram and the unit at its end.
  private static func split(_ name: String) -> (base: String, unit: String) {
    for unit in ["_seconds", "_bytes"] where name.hasSuffix(unit) { return (String(name.dropLast(unit.count)), unit) }
    return (name, "")
  }

  /// `org.batond.StoreWritable` for `baton_store_writable`.
  static func name(of name: String) -> String {
    let words = name.split(separator: "_").drop { $0 == "baton" }
    return prefix + "." + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// Serves sockets that listen already, until the task is cancelled.
  func serve(_ sockets: [CInt], logger: Logger) async throws {
    let service = VarlinkService(
      .init(vendor: "Baton", product: "baton-console", version: Console.version, url: "https://batond.org"), interfaces: [self])
    var limits = VarlinkServer.Limits()
    limits.connectionsMax = 64
    limits.connectionsPerUserMax = 16
    let server = try await VarlinkServer.start(
      service, sockets: sockets, group: MultiThreadedEventLoopGroup.singleton, limits: limits
    ) { notice in logger.debug("metrics: \(notice)") }
    // It ends with everything else.
    while (try? await Task.sleep(for: .seconds(3600))) != nil {}
    await server.stop(grace: .zero)
  }
}
