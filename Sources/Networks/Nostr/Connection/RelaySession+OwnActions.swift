internal import Channels
internal import NIOCore
internal import RelayNetwork

/// A machine whose own actions a session can carry out. The machines themselves only decide.
protocol DrivenMachine: SessionMachine {
  /// Carries out an action that no other kind of machine has. Called on the event loop of the session.
  static func perform(_ action: OwnAction, in shell: RelaySession<Self>.Shell)
}

extension PublisherMachine: DrivenMachine {
  static func perform(_ action: OwnAction, in shell: RelaySession<PublisherMachine>.Shell) {
    switch action {
    case .cut: shell.cut()
    case .publish(let kind, let tags, let content):
      guard shell.maySend() else { return }
      let event = shell.sign?(kind, tags, content, nil, shell.now())
      if let event { shell.send(ClientMessage.event(event.text)) }
      shell.feed(.published(id: event?.id))
    case .date(let post, let number):
      shell.feed(.dated(post, number: number, at: shell.now(), ahead: shell.dates?.ahead() ?? 0))
    case .sign(let dated, let author):
      let event = shell.sign?(dated.post.kind, dated.post.tags, dated.post.content, author, dated.createdAt)
      // Signed by another key it would be another event.
      shell.feed(.signed(id: dated.id, text: event.flatMap { $0.id == dated.id ? $0.text : nil }, at: shell.now()))
    case .authenticate(let challenge, let author):
      let tags = [["relay", shell.lines.url.text], ["challenge", challenge]]
      guard let event = shell.sign?(22242, tags, "", author, shell.now()) else { return }
      guard shell.line?.identify() != false else {
        let bound = NIOLoopBound(shell, eventLoop: shell.lines.eventLoop)
        return shell.lines.eventLoop.execute { bound.value.feed(.authenticationSent(id: nil)) }
      }
      shell.watch?(.authenticating)
      shell.line?.send(ClientMessage.auth(event))
      shell.feed(.authenticationSent(id: event.id))
    case .misdated(let item, let event, let refusal, let isDoubtful):
      let now = shell.now()
      let (lead, isFar) = (event.date ?? now).subtractingReportingOverflow(now)
      guard !isFar else {
        return shell.report(item.report(.refused(Trouble(.rejected, refusal.text)), isDoubtful: isDoubtful))
      }
      shell.dates?.refused(refusal, lead, event.isFresh)
      shell.report(item.report(refusal.outcome(at: lead, isFresh: event.isFresh), isDoubtful: isDoubtful))
    }
  }
}

extension ReaderMachine: DrivenMachine {
  static func perform(_ action: Never, in shell: RelaySession<ReaderMachine>.Shell) {}
}

extension FollowerMachine: DrivenMachine {
  static func perform(_ action: OwnAction, in shell: RelaySession<FollowerMachine>.Shell) {
    switch action {
    case .tellTime: shell.feed(.time(shell.now()))
    }
  }
}
