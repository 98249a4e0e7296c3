internal import Channels
internal import Coordinator
internal import Foundation
internal import Logging
internal import NIOCore
internal import RelayNetwork
internal import SimpleX
internal import Storage

/// The SimpleX chat core that the daemon uses: its network, the program if the daemon runs it, and the operators that come with it.
struct ChatCore: Sendable {
  let network: SimpleXNetwork
  private let process: CoreProcess?
  private let presets: AsyncStream<[PresetOperator]>
  /// How many relay tests the core runs at the same time: as many as a channel has relays by default.
  private static let testsAtOnce = 3
  private let logger: Logger

  /// - Parameter slots: the slots of the channels in this core.
  /// - Returns: `nil` if no core is configured.
  /// - Throws: `ConfigurationError` if the program cannot be run as configured.
  init?(
    _ settings: Settings, storage: any KnownChannelStorage, slots: SlotSet, group: any EventLoopGroup, logger: Logger
  ) throws {
    guard let endpoint = settings.core else { return nil }
    self.logger = logger
    if let program = settings.coreProgram {
      let folder = settings.stateDirectory + "/core"
      try? FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      do throws(CoreProcess.Refusal) {
        process = try CoreProcess(
          program: program, database: folder + "/db", displayName: settings.coreUser, port: endpoint.port, logger: logger)
      } catch {
        throw ConfigurationError(problems: [FileFlaw(file: "simplex.program", line: nil, column: nil, text: error.description)])
      }
    } else {
      process = nil
    }
    // All parts share one clock. A clock reads the time of day when it is created, and continues from there.
    let clock = SystemClock()
    let (presets, telling) = AsyncStream.makeStream(of: [PresetOperator].self, bufferingPolicy: .bufferingNewest(1))
    self.presets = presets
    func client() -> CoreClient { CoreClient(endpoint: endpoint, group: group, limits: settings.coreLimits, logger: logger) }
    network = SimpleXNetwork(
      client: client(), lanes: (0..<Self.testsAtOnce).map { _ in client() },
      limits: settings.simplexLimits, logger: logger, now: { clock.now },
      known: { try await KnownChannels.onSimpleX($0, among: slots, in: storage) },
      served: { try await KnownChannels.servedOnSimpleX(after: $0, limit: $1, among: slots, in: storage) },
      presets: settings.takesPresets ? { @Sendable operators in _ = telling.yield(operators) } : nil,
      files: settings.simplexFiles)
  }

  /// Runs the program until cancelled, if the daemon should run it.
  func run() async { await process?.run() }

  /// Imports operators that come with the core and are not known yet, until cancelled. Files must have been loaded before, because they
  /// take precedence.
  /// - Parameter mayImport: returns whether the files were loaded without errors.
  func importPresets(into coordinator: Coordinator, when mayImport: @Sendable () -> Bool) async {
    for await operators in presets {
      while !mayImport() {
        guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
      }
      var isElsewhere = true
      while isElsewhere {
        isElsewhere = false
        do throws(BatonError) {
          try await coordinator.importPresets(operators.map(PresetImport.init), network: .simplex)
        } catch .elsewhere {
          // Another daemon manages operators. If it has a core, it imports them. Otherwise this daemon may manage operators later.
          isElsewhere = true
          guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
        } catch {
          logger.error("the operators that come with the chat core could not be imported: \(error)")
        }
      }
    }
  }
}

extension PresetImport {
  init(_ preset: PresetOperator) {
    self.init(
      operator: OperatorEdit(
        name: preset.name, legalName: preset.legalName, domains: preset.domains, isEnabled: preset.isEnabled,
        smpRoles: preset.smpRoles, xftpRoles: preset.xftpRoles,
        conditionsAcceptedAt: preset.conditionsAcceptedAt.map { .some($0) }),
      servers: preset.servers.map {
        ServerEdit(address: $0.address.text, password: $0.address.password, isEnabled: $0.isEnabled, roles: $0.roles)
      },
      relays: preset.relays.map {
        RelayEdit(address: $0.address.text, name: $0.name, domains: $0.domains, isEnabled: $0.isEnabled)
      })
  }
}
