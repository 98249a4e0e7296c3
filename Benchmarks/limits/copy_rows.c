// The limit for what is read in channels: writes the rows of a finished database again, in as many transactions as were made for them, with
// nothing around SQLite. The schema is that of the finished database, with its indexes and its full-text index.
// usage: copy_rows FINISHED NEW TRANSACTIONS
//   NEW must not exist. Each transaction has the same share of each table, in the order of its keys.
// Prints seconds, commits and rows.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { tablesMax = 64, wordsMax = 4096 };

typedef struct {
  sqlite3_stmt *insert;
  sqlite3_value **values;
  long long rows, room;
  int columns;
} Table;

static sqlite3 *from, *to;

static void check(sqlite3 *db, int status) {
  if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW) return;
  fprintf(stderr, "copy_rows: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static void execute(const char *sql) { check(to, sqlite3_exec(to, sql, NULL, NULL, NULL)); }

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement;
  check(db, sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
  return statement;
}

// The same tables, indexes and views. Tables that belong to a virtual one come with it.
static void copySchema(void) {
  sqlite3_stmt *all = prepare(
      from, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'trigger' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            " AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid");
  while (sqlite3_step(all) == SQLITE_ROW) execute((const char *)sqlite3_column_text(all, 0));
  check(from, sqlite3_finalize(all));
}

// Reads all rows into memory and prepares to write them. A virtual table has row ids beside its columns.
static void load(Table *table, const char *name, int isVirtual) {
  char sql[wordsMax];
  snprintf(sql, sizeof sql, "SELECT %s* FROM \"%s\"", isVirtual ? "rowid, " : "", name);
  sqlite3_stmt *rows = prepare(from, sql);
  table->columns = sqlite3_column_count(rows);
  int length = snprintf(sql, sizeof sql, "INSERT INTO \"%s\" (", name);
  for (int i = 0; i < table->columns; i++)
    length += snprintf(sql + length, sizeof sql - length, "%s\"%s\"", i ? ", " : "", sqlite3_column_name(rows, i));
  length += snprintf(sql + length, sizeof sql - length, ") VALUES (");
  for (int i = 0; i < table->columns; i++) length += snprintf(sql + length, sizeof sql - length, i ? ", ?" : "?");
  snprintf(sql + length, sizeof sql - length, ")");
  table->insert = prepare(to, sql);
  while (sqlite3_step(rows) == SQLITE_ROW) {
    if (table->rows == table->room) {
      table->room = table->room ? 2 * table->room : 1024;
      table->values = realloc(table->values, sizeof *table->values * table->room * table->columns);
      if (!table->values) exit(71);
    }
    for (int i = 0; i < table->columns; i++)
      table->values[table->rows * table->columns + i] = sqlite3_value_dup(sqlite3_column_value(rows, i));
    table->rows++;
  }
  check(from, sqlite3_finalize(rows));
}

static void insert(Table *table, long long row) {
  for (int i = 0; i < table->columns; i++)
    check(to, sqlite3_bind_value(table->insert, i + 1, table->values[row * table->columns + i]));
  check(to, sqlite3_step(table->insert));
  check(to, sqlite3_reset(table->insert));
}

int main(int argc, char **argv) {
  if (argc != 4) return 64;
  long long transactions = atoll(argv[3]), rows = 0;
  if (transactions <= 0) return 64;
  check(from, sqlite3_open_v2(argv[1], &from, SQLITE_OPEN_READWRITE, NULL));
  check(to, sqlite3_open(argv[2], &to));
  execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  copySchema();

  Table tables[tablesMax] = {0};
  int count = 0;
  sqlite3_stmt *names = prepare(
      from, "SELECT name, type = 'virtual' FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')"
            " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  while (sqlite3_step(names) == SQLITE_ROW) {
    if (count == tablesMax) return 65;
    load(&tables[count++], (const char *)sqlite3_column_text(names, 0), sqlite3_column_int(names, 1));
  }
  check(from, sqlite3_finalize(names));

  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (long long transaction = 0; transaction < transactions; transaction++) {
    execute("BEGIN IMMEDIATE");
    for (Table *table = tables; table < tables + count; table++)
      for (long long row = table->rows * transaction / transactions; row < table->rows * (transaction + 1) / transactions; row++)
        insert(table, row), rows++;
    execute("COMMIT");
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.6f %lld %lld\n", (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9, transactions, rows);
  return 0;
}
