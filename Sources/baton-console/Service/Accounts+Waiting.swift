internal import Accounts
internal import NIOPosix

// User databases may be on servers, so they are read on threads that may block.
extension Accounts {
  static func waitFor<Value: Sendable>(_ look: @escaping @Sendable () -> Value?) async -> Value? {
    try? await NIOThreadPool.singleton.runIfActive(look)
  }
}
