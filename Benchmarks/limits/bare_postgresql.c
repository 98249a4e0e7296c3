// The limit for durable creation where daemons share a database: writes the rows of a run in the same batches and in one order of all
// commits, with nothing around libpq. Each batch is one pipeline with one statement for each table.
// usage: bare_postgresql CONNECTION TRACE
//   The connection's search_path has empty tables of the same form, and a session with the id 1.
//   TRACE, one step a line: I channel | R channel relay status | T revision channel relay | C revision channel | U channel revision | B (commit)
// Prints seconds, commits and rows.
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static PGconn *db;

static void fail(const char *what) {
  fprintf(stderr, "bare_postgresql: %s: %s\n", what, PQerrorMessage(db));
  exit(1);
}

// An array of numbers or words, as text.
struct array {
  char *text;
  size_t length, room;
};

static void addWord(struct array *a, const char *word) {
  if (a->room < a->length + 32) a->text = realloc(a->text, a->room = 2 * (a->length + 32));
  if (!a->text) exit(1);
  a->length += sprintf(a->text + a->length, a->length ? ",%s" : "{%s", word);
}

static void add(struct array *a, long long value) {
  char text[24];
  sprintf(text, "%lld", value);
  addWord(a, text);
}

enum { fence, relays, lock, place, insert, touch, transitions, changes, count };

static const char *const statements[count] = {
    "SELECT 1 / count(*) FROM (SELECT FROM sessions WHERE id = 1 FOR KEY SHARE) found",
    // Statuses and tasks are in indexes, so they have to change as they did.
    "INSERT INTO channel_relays SELECT c, r, 0, s, 1750000000000, 2, 'ws://127.0.0.1:7001', NULL, NULL,"
    " CASE WHEN s <> 'active' THEN 'verify' END, 1, 1750000000000, CASE WHEN s <> 'active' THEN 1 ELSE 0 END,"
    " CASE WHEN s <> 'active' THEN 1750000000000 END, CASE WHEN s = 'active' THEN 1750000000000 END, 0"
    " FROM unnest($1::int8[], $2::int8[], $3::text[]) v (c, r, s)"
    " ON CONFLICT (channel_id, relay_id) DO UPDATE SET position = excluded.position, status = excluded.status,"
    " since = excluded.since, operation = excluded.operation, relay_link = excluded.relay_link, cause = excluded.cause,"
    " detail = excluded.detail, task = excluded.task, attempt = excluded.attempt, started_at = excluded.started_at,"
    " under_way = excluded.under_way, timer_at = excluded.timer_at, check_due = excluded.check_due, shown = excluded.shown",
    "SELECT pg_advisory_xact_lock(1)",
    "INSERT INTO commits (number, session, seq, base, count, post_base, post_count)"
    " SELECT coalesce(last.number, 0) + 1, 1, coalesce(last.number, 0) + 1, coalesce(last.base + last.count, 0), $1::int8, 0, 0"
    " FROM (VALUES (1)) one LEFT JOIN (SELECT * FROM commits ORDER BY number DESC LIMIT 1) last ON true RETURNING base",
    "INSERT INTO channels (id, kind, network, identity_id, display_name, network_id, author, document, wanted_relays, heal, created_at,"
    " updated_at, revision, edition, muted, pinned, frozen, followed)"
    " SELECT c, 'channel', 'nostr', 1, 'Channel', repeat('a', 64), repeat('a', 64), repeat('x', 600), 3, 1, 1750000000000,"
    " 1750000000000, 1, 1, 0, 0, 0, 1 FROM unnest($1::int8[]) v (c)",
    "UPDATE channels SET revision = v.r, updated_at = 1750000000000 + v.r FROM unnest($1::int8[], $2::int8[]) v (c, r) WHERE id = v.c",
    "INSERT INTO transitions SELECT v, c, r, 'invited', 'accepted', NULL, '', 1, 1750000000000"
    " FROM unnest($1::int8[], $2::int8[], $3::int8[]) w (v, c, r)",
    "INSERT INTO changes (revision, at, channel_id) SELECT v, 1750000000000, c FROM unnest($1::int8[], $2::int8[]) w (v, c)",
};
static const int parameters[count] = {0, 3, 0, 1, 1, 2, 3, 2};

static struct array arrays[count][3];
static int sent;

static void send(int statement, const char *const *values) {
  char name[4];
  sprintf(name, "s%d", statement);
  if (!PQsendQueryPrepared(db, name, parameters[statement], values, NULL, NULL, 0)) fail("sending");
  sent++;
}

static void sendArrays(int statement) {
  if (!arrays[statement][0].length) return;
  const char *values[3];
  for (int i = 0; i < parameters[statement]; i++) {
    struct array *a = &arrays[statement][i];
    strcpy(a->text + a->length, "}");
    values[i] = a->text;
  }
  send(statement, values);
  for (int i = 0; i < 3; i++) arrays[statement][i].length = 0;
}

static void commit(int revisions) {
  char number[24];
  sprintf(number, "%d", revisions);
  const char *values[] = {number};
  sent = 0;
  send(fence, NULL), sendArrays(relays), send(lock, NULL), send(place, values);
  for (int statement = insert; statement < count; statement++) sendArrays(statement);
  if (!PQpipelineSync(db)) fail("ending a batch");
  for (int i = 0; i < sent; i++) {
    PGresult *result = PQgetResult(db);
    if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK) fail("a statement");
    PQclear(result);
    PQgetResult(db);
  }
  PGresult *end = PQgetResult(db);
  if (PQresultStatus(end) != PGRES_PIPELINE_SYNC) fail("a batch");
  PQclear(end);
}

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  db = PQconnectdb(argv[1]);
  if (PQstatus(db) != CONNECTION_OK) fail("connecting");
  PQclear(PQexec(db, "SET plan_cache_mode = force_generic_plan"));
  PQclear(PQexec(db, "SET jit = off"));
  for (int i = 0; i < count; i++) {
    char name[4];
    sprintf(name, "s%d", i);
    PGresult *result = PQprepare(db, name, statements[i], 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) fail("preparing");
    PQclear(result);
  }
  if (!PQenterPipelineMode(db)) fail("a pipeline");
  FILE *trace = fopen(argv[2], "r");
  if (!trace) return 66;
  char line[128], word[16];
  long long a, b, c, commits = 0, rows = 0;
  int revisions = 0;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (fgets(line, sizeof line, trace)) {
    a = b = c = 0;
    sscanf(line + 1, "%lld %lld %lld", &a, &b, &c);
    rows += line[0] != 'B';
    switch (line[0]) {
    case 'I': add(&arrays[insert][0], a); break;
    case 'R':
      if (sscanf(line + 1, "%*d %*d %15s", word) != 1) return 65;
      add(&arrays[relays][0], a), add(&arrays[relays][1], b), addWord(&arrays[relays][2], word);
      break;
    case 'T': add(&arrays[transitions][0], a), add(&arrays[transitions][1], b), add(&arrays[transitions][2], c), revisions++; break;
    case 'C': add(&arrays[changes][0], a), add(&arrays[changes][1], b), revisions++; break;
    case 'U': add(&arrays[touch][0], a), add(&arrays[touch][1], b); break;
    case 'B': commit(revisions), revisions = 0, commits++; break;
    default: return 65;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f %lld %lld\n", (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9, commits, rows);
  PQfinish(db);
  return 0;
}
