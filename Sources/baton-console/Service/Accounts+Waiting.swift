internal import Accounts
internal import NIOPosix

// The databases of users may be servers, so they are asked on threads that may wait.
extension Accounts {
  static func waitFor<Value: Sendable>(_ look: @escaping @Sendable () -> Value?) async -> Value? {
    try? await NIOThreadPool.singleton.runIfActive(look)
  }
}
