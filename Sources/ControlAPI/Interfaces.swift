internal import CInterfaces
public import Varlink

/// The control interfaces. Their `.varlink` files are the source of truth, and are compiled into the programs.
public enum Interfaces {
  public static let operators = load("org.batond.Operators")
  public static let servers = load("org.batond.Servers")
  public static let relays = load("org.batond.Relays")
  public static let identities = load("org.batond.Identities")
  public static let channels = load("org.batond.Channels")
  public static let posts = load("org.batond.Posts")
  public static let messages = load("org.batond.Messages")
  public static let members = load("org.batond.Members")
  public static let people = load("org.batond.People")
  public static let monitor = load("org.batond.Monitor")
  public static let daemon = load("org.batond.Daemon")
  public static let systemd = load("io.systemd.service")

  public static let all = [
    operators, servers, relays, identities, channels, posts, messages, members, people, monitor, daemon, systemd,
  ]

  /// The errors of each interface.
  public static let refusals: [any InterfaceRefusal.Type] = [
    OperatorsRefusal.self, ServersRefusal.self, RelaysRefusal.self, IdentitiesRefusal.self, ChannelsRefusal.self,
    PostsRefusal.self, MessagesRefusal.self, MembersRefusal.self, PeopleRefusal.self, MonitorRefusal.self, DaemonRefusal.self,
    ServiceRefusal.self,
  ]

  private static func load(_ name: String) -> IDL.Interface {
    let files = sequence(state: 0) { index in
      defer { index += 1 }
      return interface_file(index)?.pointee
    }
    guard let file = files.first(where: { String(cString: $0.name) == name }) else {
      preconditionFailure("the interface \(name) is not compiled in")
    }
    do {
      return try IDL.parse(String(cString: file.text))
    } catch {
      preconditionFailure("a compiled-in interface is wrong: \(error)")
    }
  }
}
