public import Storage

// What others ask of storage, answered by SQLite. `CoordinatorStore` and `ControlStore` do so without blocking.

/// Blocks the thread of its caller. That makes tests repeatable: nothing happens in between.
extension Store: CoordinatorStorage {}
extension Store: KnownChannelStorage {}
extension Store: CareStorage {}
