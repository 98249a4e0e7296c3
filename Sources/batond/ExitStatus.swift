internal import Storage
internal import Store
internal import Varlink

/// The exit statuses of the daemon. systemd does not restart it after statuses that a restart cannot help.
enum ExitStatus {
  static let data: Int32 = 65
  static let lost: Int32 = 66
  static let software: Int32 = 70
  static let inputOutput: Int32 = 74
  static let temporary: Int32 = 75
  static let permission: Int32 = 77
  static let configuration: Int32 = 78

  static func of(_ error: any Error) -> Int32 {
    switch error {
    case is ConfigurationError: configuration
    case let error as ListenError: of(StoreError(.init(errno: error.number), error.description))
    case let error as StoreError:
      switch error.code {
      case .notAccessible, .wrongKey: permission
      case .inUse: temporary
      case .lost: lost
      case .incompatible, .corrupt: data
      case .inputOutput: inputOutput
      }
    default: software
    }
  }
}
