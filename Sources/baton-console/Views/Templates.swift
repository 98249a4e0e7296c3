internal import Mustache

/// The templates of all pages.
struct Templates: Sendable {
  private let library: MustacheLibrary

  /// - Throws: an error of the library if a template cannot be read, which a test would have noticed.
  init() throws {
    var library = MustacheLibrary()
    for (name, bytes) in Self.sources {
      // Views escape texts themselves. Each template says so, because none takes it over from the one that includes it; one that did not
      // would show them escaped twice.
      try library.register("{{% CONTENT_TYPE:TEXT}}" + String(decoding: bytes, as: UTF8.self), named: name)
    }
    self.library = library
  }

  /// - Returns: `nil` if there is no such template.
  func render(_ name: String, _ view: View) -> String? { library.render(view, withTemplate: name) }

  static let sources: KeyValuePairs<String, [UInt8]> = [
    "layout": PackageResources.layout_mustache,
    "status": PackageResources.status_mustache,
    "time": PackageResources.time_mustache,
    "pager": PackageResources.pager_mustache,
    "failure": PackageResources.failure_mustache,
    "login": PackageResources.login_mustache,
    "sessions": PackageResources.sessions_mustache,
    "overview": PackageResources.overview_mustache,
    "finding": PackageResources.finding_mustache,
    "channels": PackageResources.channels_mustache,
    "channel": PackageResources.channel_mustache,
    "channel-new": PackageResources.channel_new_mustache,
    "channel-edit": PackageResources.channel_edit_mustache,
    "channel-image": PackageResources.channel_image_mustache,
    "conversation": PackageResources.conversation_mustache,
    "test": PackageResources.test_mustache,
    "step": PackageResources.step_mustache,
    "verdict": PackageResources.verdict_mustache,
    "channel-progress": PackageResources.channel_progress_mustache,
    "channel-link": PackageResources.channel_link_mustache,
    "channel-relays": PackageResources.channel_relays_mustache,
    "channel-add": PackageResources.channel_add_mustache,
    "channel-remove": PackageResources.channel_remove_mustache,
    "channel-confirm": PackageResources.channel_confirm_mustache,
    "relays": PackageResources.relays_mustache,
    "relay": PackageResources.relay_mustache,
    "servers": PackageResources.servers_mustache,
    "operators": PackageResources.operators_mustache,
    "history": PackageResources.history_mustache,
    "transition": PackageResources.transition_mustache,
    "health": PackageResources.health_mustache,
    "health-line": PackageResources.health_line_mustache,
    "daemon": PackageResources.daemon_mustache,
  ]
}
