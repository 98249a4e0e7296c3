// The operators that come with the core.
extension CoreWorker {
  /// Reads the core's list of servers and relays again, and reports the operators that come with the core if they have changed.
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
