internal import Foundation

extension BatonClient {
  /// The path of the control socket as commands name it.
  /// - Parameter named: a path, or `unix:` and a path; `nil` for $BATON_SOCKET, or else the default.
  package static func path(of named: String?) -> String {
    let named = named ?? ProcessInfo.processInfo.environment["BATON_SOCKET"]
    return named.map { $0.hasPrefix("unix:") ? String($0.dropFirst(5)) : $0 } ?? defaultSocket
  }
}
