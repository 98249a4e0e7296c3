public import Storage

// What others ask of storage, answered by SQLite.
extension Store: CoordinatorStorage {}
extension Store: ControlStorage {}
extension Store: KnownChannelStorage {}
extension Store: CareStorage {}
