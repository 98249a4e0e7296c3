internal import NIOCore
internal import NIOWebSocket
internal import StrictJSON

/// The part of a scripted server that is confined to its event loop.
final class Stage {
  var model: CoreModel
  var listener: (any Channel)?
  var port = 0
  var received: [String] = []
  var connections: [ScriptedConnection] = []
  /// Whatever the listener has accepted, also what is not a WebSocket yet.
  private var accepted: [ObjectIdentifier: any Channel] = [:]
  var holdNext: String?
  var crashNext: String?
  var holdsEvents = false
  /// Nothing that arrives is looked at.
  var hangs = false
  private var waiters: [(isMeant: (CoreModel, [String]) -> Bool, promise: EventLoopPromise<Void>)] = []
  private let eventLoop: any EventLoop
  /// The connection whose turn it is to take an event.
  private var turn = 0

  init(model: CoreModel, eventLoop: any EventLoop) {
    self.model = model
    self.eventLoop = eventLoop
  }

  func wait(until isMeant: @escaping (CoreModel, [String]) -> Bool) -> EventLoopFuture<Void> {
    if isMeant(model, received) { return eventLoop.makeSucceededVoidFuture() }
    let promise = eventLoop.makePromise(of: Void.self)
    waiters.append((isMeant, promise))
    return promise.futureResult
  }

  func giveUpWaiting() {
    for waiter in waiters { waiter.promise.fail(CancellationError()) }
    waiters = []
  }

  /// Wakes waiters whose condition holds now.
  private func wake() {
    let met = waiters.filter { $0.isMeant(model, received) }
    waiters.removeAll { $0.isMeant(model, received) }
    for waiter in met { waiter.promise.succeed() }
  }

  /// Hands out events: each goes to one connection, and they take turns. Wakes waiters.
  func flush() {
    wake()
    guard !holdsEvents else { return }
    while !connections.isEmpty, !model.events.isEmpty {
      let event = model.events.removeFirst()
      connections[turn % connections.count].send(["resp": event])
      turn += 1
    }
  }

  func dropConnections() {
    let all = connections
    connections = []
    for connection in all { connection.drop() }
  }

  func accept(_ channel: any Channel) {
    let (key, bound) = (ObjectIdentifier(channel), NIOLoopBound(self, eventLoop: eventLoop))
    accepted[key] = channel
    channel.closeFuture.whenComplete { _ in bound.value.accepted[key] = nil }
  }

  func dropAccepted() {
    for channel in accepted.values { channel.close(promise: nil) }
  }

  func releaseReplies() {
    for connection in connections { connection.release() }
  }

  func sendAll(_ opcode: WebSocketOpcode, _ text: String) {
    for connection in connections { connection.send(opcode, text) }
  }
}
