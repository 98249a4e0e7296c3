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
  var holdNext: String?
  var crashNext: String?
  var holdsEvents = false
  /// Nothing that arrives is looked at.
  var hangs = false
  /// Whose turn it is to take an event.
  private var turn = 0

  init(model: CoreModel) { self.model = model }

  /// Hands out events: each goes to one connection, and they take turns.
  func flush() {
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

  func releaseReplies() {
    for connection in connections { connection.release() }
  }

  func sendAll(_ opcode: WebSocketOpcode, _ text: String) {
    for connection in connections { connection.send(opcode, text) }
  }
}
