internal import Glibc

/// Sockets on loopback.
enum Loopback {
  /// Whether a socket can be reached only from this machine: it is a Unix socket, or its address is on loopback.
  static func isLocal(_ descriptor: CInt) -> Bool {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      let isKnown = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
      guard isKnown else { return false }
      switch CInt(pointer.pointee.ss_family) {
      case AF_UNIX: return true
      case AF_INET:
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          UInt32(bigEndian: $0.pointee.sin_addr.s_addr) >> 24 == 127
        }
      case AF_INET6:
        return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
          withUnsafeBytes(of: pointer.pointee.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
        }
      default: return false
      }
    }
  }

  enum Failure: Error, CustomStringConvertible {
    case cannotListen(port: UInt16, reason: String)

    var description: String {
      switch self {
      case .cannotListen(let port, let reason):
        port == 0 ? "cannot listen on loopback: \(reason)" : "cannot listen on port \(port) of loopback: \(reason)"
      }
    }
  }

  private static let attemptsMax = 16

  /// Sockets that listen on one port of 127.0.0.1 and ::1. Names that end in localhost mean both, so another program must not get either of
  /// them.
  /// - Parameter port: 0 for any free port.
  static func listen(port: UInt16) throws(Failure) -> (sockets: [CInt], port: UInt16) {
    var reason = ""
    for _ in 0..<(port == 0 ? attemptsMax : 1) {
      do throws(Reason) {
        let first = try listen(family: AF_INET, port: port)
        do throws(Reason) {
          let second = try listen(family: AF_INET6, port: first.port)
          return ([first.socket, second.socket], first.port)
        } catch .noFamily {
          return ([first.socket], first.port)
        } catch {
          close(first.socket)
          throw error
        }
      } catch {
        reason = error.text
      }
    }
    throw .cannotListen(port: port, reason: reason)
  }

  private enum Reason: Error {
    /// This machine has no addresses of the family.
    case noFamily
    case failed(CInt)

    var text: String {
      switch self {
      case .noFamily: "there are no such addresses"
      case .failed(let code): String(cString: strerror(code))
      }
    }
  }

  private static func listen(family: CInt, port: UInt16) throws(Reason) -> (socket: CInt, port: UInt16) {
    let descriptor = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw errno == EAFNOSUPPORT ? .noFamily : .failed(errno) }
    var yes: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    if family == AF_INET6 {
      setsockopt(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    }
    var address = sockaddr_storage()
    var size = socklen_t(family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      if family == AF_INET {
        pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          address.pointee.sin_family = sa_family_t(AF_INET)
          address.pointee.sin_port = port.bigEndian
          address.pointee.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        }
      } else {
        pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          address.pointee.sin6_family = sa_family_t(AF_INET6)
          address.pointee.sin6_port = port.bigEndian
          address.pointee.sin6_addr = in6addr_loopback
        }
      }
      return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(descriptor, address, size) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else { return false }
        return getsockname(descriptor, address, &size) == 0
      }
    }
    guard bound else {
      let code = errno
      close(descriptor)
      throw code == EADDRNOTAVAIL ? .noFamily : .failed(code)
    }
    let given = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
    }
    return (descriptor, given)
  }
}
