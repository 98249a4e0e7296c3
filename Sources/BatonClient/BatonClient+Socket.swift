internal import Foundation

extension BatonClient {
  /// The path of the control socket, for commands.
  /// - Parameter named: a path, or `unix:` and a path. `nil` stands for $BATON_SOCKET if it is set, otherwise for the default.
  package static func path(of named: String?) -> String {
    let named = named ?? ProcessInfo.processInfo.environment["BATON_SOCKET"]
    return named.map { $0.hasPrefix("unix:") ? String($0.dropFirst(5)) : $0 } ?? defaultSocket
  }
}
