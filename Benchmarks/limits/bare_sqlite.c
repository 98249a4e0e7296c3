// The limit for durable creation and for posts: writes the rows of a recorded run in the same batches, with nothing around SQLite.
// usage: bare_sqlite DATABASE TRACE
//   TRACE, one step a line: I channel | R channel relay position | T revision channel relay | C revision channel |
//   U channel revision | B (commit); for posts: P post channel revision bytes | Q post revision |
//   D post relay status progress | H revision post relay | O channel relay
// Prints seconds, commits and rows.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *db;

static void check(int status) {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
  fprintf(stderr, "bare_sqlite: %s\n", sqlite3_errmsg(db));
  exit(1);
}

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
}

// Posts.
static sqlite3_stmt *post, *update, *delivery, *history, *route;
static char signedPost[32769];
static const char *statuses[] = {"pending",  "sent",    "accepted",    "verified",   "failed", "skipped",
                                 "deleting", "deleted", "stillServed", "unsupported"};

static void preparePosts(void) {
  post = prepare(
      "INSERT INTO posts (id, channel_id, revision, reply_to, edition, delivery_count, created_at, deleted_at, idempotency_key,"
      " request_digest, network_id, author, text, document, deletion_id, deletion_author, deletion, sum)"
      " VALUES (?, ?, ?, NULL, 1, 3, 1750000000000, NULL, NULL, NULL, ?, ?, ?, ?, NULL, NULL, NULL, 1)");
  update = prepare("UPDATE posts SET revision = ?, edition = 1, delivery_count = 3, deleted_at = NULL, sum = 2 WHERE id = ?");
  delivery = prepare(
      "INSERT INTO deliveries (post_id, relay_id, status, since, operation, left_edition, shown_edition, deletion_requested, cause,"
      " detail, task, attempt, repair, started_at, under_way, timer_at, departed, sum)"
      " VALUES (?, ?, ?, 1750000000000, 2, 1, 0, 0, NULL, NULL, ?, 1, 0, 1750000000000, ?, ?, 0, 1)"
      " ON CONFLICT (post_id, relay_id) DO UPDATE SET status = excluded.status, since = excluded.since,"
      " operation = excluded.operation, left_edition = excluded.left_edition, shown_edition = excluded.shown_edition,"
      " deletion_requested = excluded.deletion_requested, cause = excluded.cause, detail = excluded.detail, task = excluded.task,"
      " attempt = excluded.attempt, repair = excluded.repair, started_at = excluded.started_at, under_way = excluded.under_way,"
      " timer_at = excluded.timer_at, departed = excluded.departed, sum = excluded.sum");
  history = prepare(
      "INSERT INTO post_transitions (revision, post_id, relay_id, from_status, to_status, cause, detail, attempt, at, sum)"
      " VALUES (?, ?, ?, 'sent', 'accepted', NULL, '', 1, 1750000000000, 1)");
  route = prepare(
      "INSERT INTO post_routes (channel_id, relay_id, status, cursor, sum) VALUES (?, ?, 'joined', 0, 1)"
      " ON CONFLICT (channel_id, relay_id) DO UPDATE SET status = excluded.status, cursor = excluded.cursor, sum = excluded.sum");
  memset(signedPost, 'x', sizeof signedPost - 1);
}

// Writes a row of posts; returns how many rows that are.
static int writePost(char step, long long a, long long b, long long c, long long d, const char *id) {
  switch (step) {
  case 'P': {
    int bytes = d < 0 ? 0 : d < (long long)sizeof signedPost ? (int)d : (int)sizeof signedPost - 1;
    number(post, 1, a), number(post, 2, b), number(post, 3, c), text(post, 4, id), text(post, 5, id);
    check(sqlite3_bind_text(post, 6, signedPost, bytes < 140 ? bytes : 140, SQLITE_STATIC));
    check(sqlite3_bind_text(post, 7, signedPost, bytes, SQLITE_STATIC));
    run(post);
    return 1;
  }
  case 'Q': number(update, 1, b), number(update, 2, a), run(update); return 1;
  case 'D':
    number(delivery, 1, a), number(delivery, 2, b), text(delivery, 3, statuses[c < 0 || c > 9 ? 0 : c]);
    text(delivery, 4, d ? "verify" : NULL), number(delivery, 5, d == 2);
    if (d) number(delivery, 6, 1750000000000);
    else check(sqlite3_bind_null(delivery, 6));
    run(delivery);
    return 1;
  case 'H': number(history, 1, a), number(history, 2, b), number(history, 3, c), run(history); return 1;
  case 'O': number(route, 1, a), number(route, 2, b), run(route); return 1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  check(sqlite3_open(argv[1], &db));
  check(sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;"
                         "PRAGMA wal_autocheckpoint = 4000", NULL, NULL, NULL));
  sqlite3_stmt *channel = prepare(
      "INSERT INTO channels (id, kind, network, identity_id, display_name, full_name, description, image, preferences, network_id,"
      " author, document, wanted_relays, heal, custom, idempotency_key, created_at, updated_at, deleted_at, revision)"
      " VALUES (?, 'channel', 'nostr', 1, ?, NULL, NULL, NULL, NULL, ?, ?, ?, 3, 1, NULL, NULL, 1750000000000, 1750000000000, NULL, 1)");
  sqlite3_stmt *relay = prepare(
      "INSERT INTO channel_relays (channel_id, relay_id, position, status, since, operation, relay_link, cause, detail, task, attempt,"
      " started_at, under_way, timer_at) VALUES (?, ?, ?, ?, 1750000000000, 2, ?, NULL, NULL, ?, 1, 1750000000000, 1, 1750000000000)"
      " ON CONFLICT (channel_id, relay_id) DO UPDATE SET status = excluded.status, since = excluded.since,"
      " operation = excluded.operation, relay_link = excluded.relay_link, cause = excluded.cause, detail = excluded.detail,"
      " task = excluded.task, attempt = excluded.attempt, started_at = excluded.started_at, under_way = excluded.under_way,"
      " timer_at = excluded.timer_at");
  sqlite3_stmt *transition = prepare(
      "INSERT INTO transitions (revision, channel_id, relay_id, from_status, to_status, cause, detail, attempt, at)"
      " VALUES (?, ?, ?, 'invited', 'accepted', NULL, '', 1, 1750000000000)");
  sqlite3_stmt *change = prepare("INSERT INTO changes (revision, at, channel_id, relay_id) VALUES (?, 1750000000000, ?, NULL)");
  sqlite3_stmt *touch = prepare("UPDATE channels SET revision = ?, updated_at = 1750000000000, deleted_at = NULL WHERE id = ?");
  preparePosts();
  char document[601], id[65];
  memset(document, 'x', 600), document[600] = 0;
  memset(id, 'a', 64), id[64] = 0;

  FILE *trace = fopen(argv[2], "r");
  if (!trace) return 66;
  char line[128];
  long long a, b, c, d, commits = 0, rows = 0, open = 0;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (fgets(line, sizeof line, trace)) {
    if (line[0] != 'B' && !open) check(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL)), open = 1;
    a = b = c = d = 0;
    sscanf(line + 1, "%lld %lld %lld %lld", &a, &b, &c, &d);
    switch (line[0]) {
    case 'I': number(channel, 1, a), text(channel, 2, "Channel"), text(channel, 3, id), text(channel, 4, id),
              text(channel, 5, document), run(channel), rows++; break;
    case 'R': number(relay, 1, a), number(relay, 2, b), number(relay, 3, c), text(relay, 4, "accepted"),
              text(relay, 5, "ws://127.0.0.1:7001"), text(relay, 6, "verify"), run(relay), rows++; break;
    case 'T': number(transition, 1, a), number(transition, 2, b), number(transition, 3, c), run(transition), rows++; break;
    case 'C': number(change, 1, a), number(change, 2, b), run(change), rows++; break;
    case 'U': number(touch, 1, b), number(touch, 2, a), run(touch), rows++; break;
    case 'B': if (open) check(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL)), open = 0, commits++; break;
    default: rows += writePost(line[0], a, b, c, d, id);
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f %lld %lld\n", (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9, commits, rows);
  return 0;
}
