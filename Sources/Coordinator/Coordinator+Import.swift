public import Channels
internal import Logging
internal import RelayNetwork
internal import Storage

/// A network's preset of an operator, with its servers and relays.
public struct PresetImport: Hashable, Sendable {
  /// The operator, whose name is needed.
  public var `operator`: OperatorEdit
  /// They need addresses. Their assignment is ignored.
  public var servers: [ServerEdit]
  /// They need addresses. Their assignment is ignored.
  public var relays: [RelayEdit]

  public init(operator: OperatorEdit, servers: [ServerEdit] = [], relays: [RelayEdit] = []) {
    self.operator = `operator`
    self.servers = servers
    self.relays = relays
  }
}

extension Coordinator {
  /// Upper bound of the operators, servers and relays of one import.
  public static let importedMax = 2000

  /// Adds operators, servers and relays of a network that Baton does not have. Doing so again changes nothing.
  ///
  /// Known objects are unchanged: objects that someone changed, disabled or removed, and operators that files declare with everything that
  /// belongs to them. A domain that already has servers or relays is left out of a new operator, because they would move to it. Invalid
  /// presets are left out with a warning.
  /// - Parameter kind: the network of the relays.
  /// - Throws: `BatonError` when nothing can be stored.
  public func importPresets(_ presets: [PresetImport], network kind: NetworkKind) async throws(BatonError) {
    var room = Self.importedMax
    var checked: [CatalogChange.Preset] = []
    for preset in presets {
      room -= 1 + preset.servers.count + preset.relays.count
      guard room >= 0 else {
        logger.warning("\(kind.rawValue) has more than \(Self.importedMax) presets, and the others are left out")
        break
      }
      if let preset = try self.checked(preset, kind) { checked.append(preset) }
    }
    _ = try await change(.importPresets(kind, checked), force: true)
  }

  /// The valid part of `preset`, in normal form.
  private func checked(_ preset: PresetImport, _ kind: NetworkKind) throws(BatonError) -> CatalogChange.Preset? {
    var edit = preset.operator
    do throws(BatonError) {
      edit.name = try OperatorEdit.name(edit.name ?? "")
    } catch {
      leaveOut("operator", edit.name ?? "", error)
      return nil
    }
    if let legalName = edit.legalName { edit.legalName = try? OperatorEdit.name(legalName) }
    edit.domains = (edit.domains ?? []).prefix(OperatorEdit.domainsMax).compactMap { try? Domain.validated($0) }
    var servers: [(CatalogChange.ServerPlace, ServerEdit)] = []
    for server in preset.servers {
      do throws(BatonError) {
        servers.append((try place(of: server), server))
      } catch {
        if case .storageUnavailable = error { throw error }
        leaveOut("server", "", error)
      }
    }
    var relays: [(RelayAddress, RelayEdit)] = []
    for relay in preset.relays {
      do throws(BatonError) {
        var edit = RelayEdit(name: relay.name.flatMap { try? OperatorEdit.name($0) }, isEnabled: relay.isEnabled)
        edit.domains = (relay.domains ?? []).prefix(OperatorEdit.domainsMax).compactMap { try? Domain.validated($0) }
        relays.append((try parse(relay.address ?? "", kind), edit))
      } catch {
        leaveOut("relay", relay.name ?? "", error)
      }
    }
    return CatalogChange.Preset(edit: edit, servers: servers, relays: relays)
  }

  private func leaveOut(_ kind: String, _ name: String, _ error: BatonError) {
    let name = Trouble(.protocol, String(name.prefix(100))).detail
    logger.warning("preset \(kind)\(name.isEmpty ? "" : " '\(name)'") is left out: \(Trouble(.protocol, "\(error)").detail)")
  }
}
