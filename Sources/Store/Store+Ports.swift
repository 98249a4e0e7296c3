public import Storage

// What others ask of storage, answered by SQLite. `ControlStore` does so for the control plane.
extension Store: CoordinatorStorage {}
extension Store: KnownChannelStorage {}
extension Store: CareStorage {}
