import Channels
import ScriptedCore
import StrictJSON
import Testing

@testable import SimpleX

/// The session machine and the model of a core, joined by two pipes that break at any time; no sockets, no clock.
struct CoreSessionSimulationTests {
  /// A connection: what is on its way in either direction.
  private struct Pipes {
    var toCore: [String] = []
    var toBaton: [String] = []
  }

  private struct World {
    var generator: SplitMix64
    var machine: CoreSessionMachine
    var model = CoreModel()
    var pipes: Pipes?
    var isDialing = false
    var timers: Set<CoreTimer> = []
    var answers: [Int: [Result<CoreReply, CoreFailure>]] = [:]
    /// Names of users that the core was told to make, in order.
    var executed: [String] = []
    /// Commands that lay in a broken connection: the core may still read them.
    var stranded: [String] = []
    var isUp = false

    mutating func take(_ actions: [CoreSessionAction]) {
      for action in actions {
        switch action {
        case .dial: isDialing = true
        case .hangUp: breakPipes()
        case .send(let text):
          #expect(pipes != nil, "nothing is sent without a connection")
          pipes?.toCore.append(text)
        case .setTimer(let timer, _): timers.insert(timer)
        case .cancelTimer(let timer): timers.remove(timer)
        case .report(.reply(let id, let result)): answers[id.rawValue, default: []].append(result)
        case .report(.up):
          #expect(!isUp)
          isUp = true
        case .report(.down): isUp = false
        case .report(.event): break
        }
      }
    }

    mutating func breakPipes() {
      stranded += pipes?.toCore ?? []
      pipes = nil
      isDialing = false
    }

    mutating func execute(_ text: String) throws -> JSONValue {
      let request = try JSONParser.parse(text)
      let command = try #require(request["cmd"]?.string)
      if command.hasPrefix("/_create user "), let user = try? JSONParser.parse(String(command.dropFirst(14))) {
        executed.append(try #require(user["profile"]?["displayName"]?.string))
      }
      return ["corrId": request["corrId"] ?? "", "resp": model.execute(command)]
    }

    /// One thing that may happen now happens.
    mutating func happen(_ submitted: inout Int) throws {
      switch Int.random(in: 0..<12, using: &generator) {
      case 0, 1:
        submitted += 1
        take(machine.handle(.submitted(CoreRequestID(rawValue: submitted), .createUser(name: "user \(submitted)"))))
        if Int.random(in: 0..<5, using: &generator) == 0 {
          take(machine.handle(.withdrawn(CoreRequestID(rawValue: Int.random(in: 1...submitted, using: &generator)))))
        }
      case 2 where isDialing:
        isDialing = false
        if Int.random(in: 0..<4, using: &generator) == 0 { return take(machine.handle(.dialFailed("no"))) }
        pipes = Pipes()
        take(machine.handle(.opened))
      case 3 where Int.random(in: 0..<6, using: &generator) == 0 && pipes != nil:
        breakPipes()
        take(machine.handle(.closed("")))
      case 4 where !stranded.isEmpty: _ = try execute(stranded.removeFirst())
      case 5 where Int.random(in: 0..<6, using: &generator) == 0 || timers == [.reconnect]:
        guard let timer = CoreTimer.allCases.filter({ timers.contains($0) }).randomElement(using: &generator) else { return }
        timers.remove(timer)
        take(machine.handle(.timerFired(timer)))
      case 6..<9 where pipes?.toCore.isEmpty == false:
        guard let text = pipes?.toCore.removeFirst() else { return }
        let answer = try execute(text).text
        pipes?.toBaton.append(answer)
      case 9 where pipes != nil: pipes?.toBaton.append(#"{"resp":{"type":"brandNew"}}"#)
      case 9..<12 where pipes?.toBaton.isEmpty == false:
        if let text = pipes?.toBaton.removeFirst() { take(machine.handle(.received(CoreFrame(text.utf8)))) }
      default: break
      }
    }
  }

  /// What an answer says about whether the core carried the command out is true, whatever breaks when.
  @Test(arguments: 0..<UInt64(150)) func answersTellTheTruth(seed: UInt64) throws {
    let limits = CoreLimits()
    var world = World(generator: SplitMix64(seed: seed), machine: CoreSessionMachine(limits: limits, salt: seed))
    var submitted = 0
    world.take(world.machine.handle(.started))
    for _ in 0..<600 { try world.happen(&submitted) }
    world.breakPipes()
    world.take(world.machine.handle(.ended))
    while !world.stranded.isEmpty { _ = try world.execute(world.stranded.removeFirst()) }
    var kinds: Set<String> = []
    for id in 1...submitted {
      let answers = world.answers[id] ?? []
      let count = world.executed.filter { $0 == "user \(id)" }.count
      #expect(answers.count == 1, "command \(id)")
      switch answers.first {
      case .success(.activeUser(let user)):
        kinds.insert("success")
        #expect(count == 1 && user.displayName == "user \(id)")
      case .failure(.notSent):
        kinds.insert("not sent")
        #expect(count == 0)
      case .failure(.unknown):
        kinds.insert("unknown")
        #expect(count <= 1)
      case let other: Issue.record("command \(id): \(String(describing: other))")
      }
    }
    #expect(kinds.count > 1)
  }
}
