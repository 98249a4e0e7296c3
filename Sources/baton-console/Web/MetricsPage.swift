internal import BatonClient
internal import ControlAPI
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The daemon's figures for Prometheus, on a separate socket, without signing in. No figure names a channel, a relay or a person.
enum MetricsPage {
  static func responder(_ daemon: Daemon, rule: HostRule, pages: Renderer) -> RouterResponder<ConsoleContext> {
    let router = Router(context: ConsoleContext.self, options: [.autoGenerateHeadEndpoints])
    router.add(middleware: Gate(rule: rule, pages: pages))
    router.get("metrics") { request, _ in
      let format = format(for: request.headers[values: .accept].joined(separator: ","))
      let page = MetricText.page(of: try await daemon.ask { try await $0.daemon.metrics() }, as: format)
      return Response(
        status: .ok, headers: [.contentType: format.contentType], body: ResponseBody(byteBuffer: ByteBuffer(string: page)))
    }
    return router.buildResponder()
  }

  /// OpenMetrics for clients that name it, and therefore understand it. The older format for other clients.
  static func format(for accepted: String) -> MetricText.Format {
    accepted.contains("application/openmetrics-text") ? .openMetrics : .prometheus
  }
}
