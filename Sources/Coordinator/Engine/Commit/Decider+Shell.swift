internal import Channels
internal import Storage

extension Decision: Answering {}

// The decider's remaining duties to the shell.
extension Decider: Deciding {
  var openCount: Int { open.inputs.count }
  var isOpen: Bool { !open.isEmpty }
  var doubtfulness: String? { doubt == nil ? nil : recovery.trouble ?? "the stored state is unknown" }

  mutating func takeChore() -> CommitRequest? {
    choresUnderWay = chores.take()
    // They are independent: a chore that cannot be stored must not prevent the others.
    return choresUnderWay.isEmpty ? nil : CommitRequest(choresUnderWay.map { CommitPart([$0]) })
  }

  mutating func choreEnded(_ outcome: Flight.Outcome) -> [Input] {
    defer { choresUnderWay = [] }
    switch outcome {
    case .success(let receipt):
      for (place, chore) in choresUnderWay.enumerated() { choreEnded(chore, receipt.rejections[place]) }
      // If more of the history is left, forgetting continues after the inputs that wait by then, so it keeps up with new entries.
      return receipt.forgotten >= Self.forgottenMax ? [.forgetHistory] : []
    case .failure(.refused(let reason)): for chore in choresUnderWay { choreEnded(chore, .refused(reason)) }
    case .failure(.fenced): chores.failed(choresUnderWay)
    case .failure(let failure):
      chores.failed(choresUnderWay)
      storageFailed(failure.description)
    }
    return []
  }

  /// A refusal is no failure of storage, which stores everything else. It is reported once, although the chore returns again and again.
  private mutating func choreEnded(_ chore: StoreMutation, _ rejection: CommitReceipt.Rejection?) {
    guard let rejection else { return chores.stored(chore) }
    chores.failed([chore])
    guard case .refused(let reason) = rejection, let purpose = chores.refused(chore, reason) else { return }
    say("\(reason). See batonctl check", purpose)
  }
}
