internal import Glibc
public import NIOCore

/// The descriptors of this process. A new connection gets the lowest free number. Connections that get a high number are closed, so that
/// the highest are left for files, lookups and libraries, some of which end the program when they get none.
public enum Descriptors {
  /// Lets the process have as many as it may.
  public static func raiseLimit() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }

  private static var most: Int { max(0, Int(sysconf(CInt(_SC_OPEN_MAX)))) }

  /// How many of the highest descriptors no connection may have.
  public static var reserved: Int { reserved(of: most) }

  static func reserved(of most: Int) -> Int { min(64, most / 3) }

  /// Why a connection that was just made must be closed, or `nil`. Called on its event loop.
  public static func refusal(of channel: any Channel) -> String? {
    let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
    let most = most
    guard let descriptor, Int(descriptor) >= most - reserved(of: most) else { return nil }
    return "Baton may have \(most) files and connections open, and none is free for relays: raise LimitNOFILE"
  }
}
