// All figures. docs/metrics.md has the same table, which a test compares with this one.
extension MetricFamily {
  public static let build = MetricFamily("baton_build_info", .gauge, ["version"], "1, with the daemon's version as a label")
  public static let channels = MetricFamily(
    "baton_channels", .gauge, ["network", "phase"], "channels by network and phase")
  public static let onNoRelay = MetricFamily(
    "baton_channels_on_no_relay", .gauge, ["network"], "channels that no reader can find and that are on their way to no relay")
  public static let underWay = MetricFamily(
    "baton_channels_under_way", .gauge, "channels with unfinished work of this daemon")
  public static let quarantined = MetricFamily(
    "baton_channels_quarantined", .gauge, "unreadable channels, which the daemon skips")
  public static let oldestUnderWay = MetricFamily(
    "baton_channels_under_way_oldest_timestamp_seconds", .gauge,
    "start of the oldest unfinished attempt to bring a channel to a relay, 0 if none")
  public static let channelRelays = MetricFamily(
    "baton_channel_relays", .gauge, ["network", "status"], "relays of channels by status, without removed ones")
  public static let transitions = MetricFamily(
    "baton_channel_relay_transitions_total", .counter, ["network", "to", "cause"],
    "changes of the status of a channel on a relay, with the cause none if nothing went wrong")
  public static let creations = MetricFamily(
    "baton_channel_creations_total", .counter, ["network", "outcome"],
    "finished creations of channels: active on all relays, partial on some, failed on none")
  public static let timeToActive = MetricFamily(
    "baton_channel_time_to_active_seconds", .histogram, ["network", "reached"],
    "time from the creation of a channel until readers find it on the first relay, and on all of them", bounds: Self.waits)
  public static let relays = MetricFamily(
    "baton_relays", .gauge, ["network", "health"], "relays that new channels may get, by health")
  public static let servers = MetricFamily(
    "baton_servers", .gauge, ["protocol", "health"], "message and file servers that may be used, by health")
  public static let operations = MetricFamily(
    "baton_relay_operations_total", .counter, ["network", "operation", "outcome"],
    "operations of relays for channels: done, refused, missing, misbehaved or troubled")
  public static let operationTime = MetricFamily(
    "baton_relay_operation_duration_seconds", .histogram, ["network", "operation"],
    "time from asking a relay until its answer: invite publishes, verify reads back", bounds: Self.relayAnswers)
  public static let unreadable = MetricFamily(
    "baton_relay_messages_unreadable_total", .counter, ["network"],
    "unreadable messages of relays, most often malformed events")
  public static let tests = MetricFamily(
    "baton_tests_total", .counter, ["target", "result"],
    "tests of relays and servers with a result, in the background and by command")
  public static let calls = MetricFamily(
    "baton_control_calls_total", .counter, ["interface", "outcome"],
    "answered calls except Ping: ok, refused by the rules, or error for a fault of the daemon or its storage")
  public static let callTime = MetricFamily(
    "baton_control_call_duration_seconds", .histogram, ["interface"], "time to answer a call that has one reply",
    bounds: Self.answers)
  public static let subscribers = MetricFamily("baton_control_subscribers", .gauge, "watching clients")
  public static let subscribersBehind = MetricFamily(
    "baton_control_subscribers_behind_total", .counter, "times that a watching client fell behind")
  public static let changesKept = MetricFamily(
    "baton_control_changes_kept_bytes", .gauge, "memory for changes that watching clients have not read yet")
  public static let changesEncoded = MetricFamily(
    "baton_control_changes_encoded_total", .counter, "changes encoded for watching clients")
  public static let inbox = MetricFamily(
    "baton_inbox_requests", .gauge, ["kind"],
    "waiting requests and reports of networks about channels, about posts, and about messages")
  public static let inboxLimit = MetricFamily(
    "baton_inbox_requests_limit", .gauge, ["kind"], "limit on waiting requests, beyond which requests are refused as Busy")
  public static let messagesLeftOut = MetricFamily(
    "baton_messages_left_out_total", .counter,
    "messages and reactions that were not stored, because of a limit per author and minute or per channel")
  public static let commitTime = MetricFamily(
    "baton_store_commit_duration_seconds", .histogram, ["result"], "time until a commit is durable or has failed",
    bounds: Self.commits)
  public static let writable = MetricFamily("baton_store_writable", .gauge, "1 if changes can be stored")
  public static let revision = MetricFamily("baton_store_revision", .gauge, "revision of the newest change")
  public static let damage = MetricFamily(
    "baton_store_damage", .gauge, "damaged entries found in the database since the start")
  public static let reload = MetricFamily(
    "baton_config_last_reload_successful", .gauge, "1 if the files that declare operators are in force, 0 if they have errors")
  public static let backup = MetricFamily(
    "baton_backup_last_success_timestamp_seconds", .gauge, "end of the last complete backup since the start, 0 if never")
  public static let daemons = MetricFamily(
    "baton_cluster_daemons", .gauge, ["state"], "daemons that share the store, without a series if it is not shared")
  public static let otherFiles = MetricFamily(
    "baton_cluster_daemons_with_other_files", .gauge,
    "daemons whose files that declare operators differ from the files in force")
  public static let waiting = MetricFamily(
    "baton_cluster_channels_waiting_for_cores", .gauge, "channels on SimpleX whose daemon is absent")
  public static let processorTime = MetricFamily("process_cpu_seconds_total", .counter, "processor time")
  public static let memory = MetricFamily("process_resident_memory_bytes", .gauge, "resident memory")
  public static let start = MetricFamily("process_start_time_seconds", .gauge, "start of the process")
  public static let files = MetricFamily("process_open_fds", .gauge, "open file descriptors")
  public static let filesMax = MetricFamily("process_max_fds", .gauge, "limit on open file descriptors")

  public static let all = [
    build, channels, onNoRelay, underWay, quarantined, oldestUnderWay, channelRelays, transitions, creations, timeToActive,
    relays,
    servers, operations, operationTime, unreadable, tests, calls, callTime, subscribers, subscribersBehind, changesKept,
    changesEncoded, inbox, inboxLimit, messagesLeftOut, commitTime, writable, revision, damage, reload, backup, daemons,
    otherFiles,
    waiting, processorTime,
    memory, start, files, filesMax,
  ]

  // Bounds in seconds.
  private static let waits = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]
  private static let answers = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]
  // A chat core may wait for a relay for minutes.
  private static let relayAnswers = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30, 60, 120, 300]
  private static let commits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

  private init(_ name: String, _ kind: Kind, _ help: String) { self.init(name, kind, [], help) }
}
