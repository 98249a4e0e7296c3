// What the core brings along.
extension CoreWorker {
  /// Reads the core's list of servers and relays anew, and tells what came with the core when that is something else than before.
  func readPresets() async {
    guard let presets = around.presets, let user, case .success(.servers(_, let groups)) = await ask(.servers(user)) else {
      return
    }
    serverGroups = groups
    let found = groups.compactMap(PresetOperator.init)
    guard found != knownPresets else { return }
    knownPresets = found
    presets(found)
  }
}
