internal import Channels
internal import Storage

extension Decision: Answering {}

// What is left to say to the shell.
extension Decider: Deciding {
  var openCount: Int { open.inputs.count }
  var isOpen: Bool { !open.isEmpty }
  var doubtfulness: String? { doubt == nil ? nil : recovery.trouble ?? "it is not known what is stored" }

  mutating func takeChore() -> CommitRequest? {
    choresUnderWay = chores.take()
    // They have nothing to do with each other: one that cannot be stored must not take others with it.
    return choresUnderWay.isEmpty ? nil : CommitRequest(choresUnderWay.map { CommitPart([$0]) })
  }

  mutating func choreEnded(_ outcome: Flight.Outcome) -> [Input] {
    defer { choresUnderWay = [] }
    switch outcome {
    case .success(let receipt):
      for (place, rejection) in receipt.rejections.sorted(by: { $0.key < $1.key }) where choresUnderWay.indices.contains(place)
      {
        chores.failed([choresUnderWay[place]])
        if case .refused(let reason) = rejection { storageFailed(reason) }
      }
      // If more of the history is left, it goes on after the inputs that wait by then, so it keeps up with whatever is written.
      return receipt.forgotten >= Self.forgottenMax ? [.forgetHistory] : []
    case .failure(.fenced): chores.failed(choresUnderWay)
    case .failure(let failure):
      chores.failed(choresUnderWay)
      storageFailed(failure.description)
    }
    return []
  }
}
