public import Storage

// The storage ports, answered by SQLite. `CoordinatorStore`, `ControlStore` and `KnownChannelStore` do so without blocking.

/// Blocks the thread of its caller. That makes tests repeatable, because nothing else happens during a call.
extension Store: CoordinatorStorage {}
extension Store: PostStorage {}
extension Store: PostReading {}
extension Store: KnownChannelStorage {}
extension Store: DecisionStorage {}
extension Store: CareStorage {}
