// A fixed yardstick for durable creation, which stays what it is whatever Baton stores: 25 rows per channel in three small tables, ten
// channels per commit, each commit synced.
// usage: fixed_sqlite DATABASE CHANNELS
//   DATABASE must not exist. CHANNELS is a multiple of ten.
// Prints seconds, commits and rows.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { channelsPerCommit = 10, relaysPerChannel = 3, steps = 9 };

static sqlite3 *db;
static long long rows;

static void check(int status) {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
  fprintf(stderr, "fixed_sqlite: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static void execute(const char *sql) { check(sqlite3_exec(db, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare(const char *sql) {
  sqlite3_stmt *statement;
  check(sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
  return statement;
}

static void text(sqlite3_stmt *s, int index, const char *value) { check(sqlite3_bind_text(s, index, value, -1, SQLITE_STATIC)); }
static void number(sqlite3_stmt *s, int index, long long value) { check(sqlite3_bind_int64(s, index, value)); }

static void run(sqlite3_stmt *s) {
  check(sqlite3_step(s));
  check(sqlite3_reset(s));
  rows++;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  long long count = atoll(argv[2]);
  if (count <= 0 || count % channelsPerCommit) return 64;
  check(sqlite3_open(argv[1], &db));
  execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;"
          "CREATE TABLE channels (id INTEGER PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL, document TEXT NOT NULL,"
          " created_at INTEGER NOT NULL, revision INTEGER NOT NULL) STRICT;"
          "CREATE TABLE relays (channel_id INTEGER NOT NULL, relay_id INTEGER NOT NULL, status TEXT NOT NULL, link TEXT,"
          " task TEXT, attempt INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (channel_id, relay_id)) STRICT, WITHOUT ROWID;"
          "CREATE TABLE transitions (revision INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL, relay_id INTEGER NOT NULL,"
          " from_status TEXT NOT NULL, to_status TEXT NOT NULL, at INTEGER NOT NULL) STRICT;");
  sqlite3_stmt *channel = prepare("INSERT INTO channels VALUES (?, ?, ?, ?, 1750000000000, ?)");
  sqlite3_stmt *relay = prepare("INSERT INTO relays VALUES (?, ?, 'new', ?, 'publish', 1, 1750000000000)");
  sqlite3_stmt *update =
      prepare("UPDATE relays SET status = ?3, task = ?4, attempt = ?5, since = 1750000000000 WHERE channel_id = ?1 AND relay_id = ?2");
  sqlite3_stmt *transition = prepare("INSERT INTO transitions VALUES (?, ?, ?, ?, ?, 1750000000000)");
  char document[601], key[65];
  memset(document, 'x', 600), document[600] = 0;
  memset(key, 'a', 64), key[64] = 0;
  const char *statuses[] = {"new", "invited", "accepted", "active"};

  long long revision = 0, commits = 0;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (long long id = 1; id <= count; id++) {
    if (id % channelsPerCommit == 1) execute("BEGIN IMMEDIATE");
    number(channel, 1, id), text(channel, 2, "Channel"), text(channel, 3, key), text(channel, 4, document);
    number(channel, 5, ++revision), run(channel);
    for (int r = 1; r <= relaysPerChannel; r++) {
      number(relay, 1, id), number(relay, 2, r), text(relay, 3, "ws://127.0.0.1:7001"), run(relay);
      number(transition, 1, ++revision), number(transition, 2, id), number(transition, 3, r);
      text(transition, 4, "new"), text(transition, 5, "new"), run(transition);
    }
    for (int step = 0; step < steps; step++) {
      int r = step % relaysPerChannel + 1, stage = step / relaysPerChannel;
      number(update, 1, id), number(update, 2, r), text(update, 3, statuses[stage + 1]);
      text(update, 4, stage == 2 ? "check" : "publish"), number(update, 5, stage + 1), run(update);
      number(transition, 1, ++revision), number(transition, 2, id), number(transition, 3, r);
      text(transition, 4, statuses[stage]), text(transition, 5, statuses[stage + 1]), run(transition);
    }
    if (id % channelsPerCommit == 0) execute("COMMIT"), commits++;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f %lld %lld\n", (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9, commits, rows);
  return 0;
}
