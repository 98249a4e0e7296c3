public import Varlink

/// The control interfaces. Their `.varlink` files are the source of truth; they are compiled in.
public enum Interfaces {
  public static let operators = load(PackageResources.org_batond_Operators_varlink)
  public static let servers = load(PackageResources.org_batond_Servers_varlink)
  public static let relays = load(PackageResources.org_batond_Relays_varlink)
  public static let identities = load(PackageResources.org_batond_Identities_varlink)
  public static let channels = load(PackageResources.org_batond_Channels_varlink)
  public static let posts = load(PackageResources.org_batond_Posts_varlink)
  public static let messages = load(PackageResources.org_batond_Messages_varlink)
  public static let members = load(PackageResources.org_batond_Members_varlink)
  public static let people = load(PackageResources.org_batond_People_varlink)
  public static let monitor = load(PackageResources.org_batond_Monitor_varlink)
  public static let daemon = load(PackageResources.org_batond_Daemon_varlink)
  public static let systemd = load(PackageResources.io_systemd_service_varlink)

  public static let all = [
    operators, servers, relays, identities, channels, posts, messages, members, people, monitor, daemon, systemd,
  ]

  /// The errors of each.
  public static let refusals: [any InterfaceRefusal.Type] = [
    OperatorsRefusal.self, ServersRefusal.self, RelaysRefusal.self, IdentitiesRefusal.self, ChannelsRefusal.self,
    PostsRefusal.self, MessagesRefusal.self, MembersRefusal.self, PeopleRefusal.self, MonitorRefusal.self, DaemonRefusal.self,
    ServiceRefusal.self,
  ]

  private static func load(_ bytes: [UInt8]) -> IDL.Interface {
    do {
      return try IDL.parse(String(decoding: bytes, as: UTF8.self))
    } catch {
      preconditionFailure("a compiled-in interface is wrong: \(error)")
    }
  }
}
