// Databases that are read: SQLite's files, and CSV.
#include "sql/database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "croft/core/interrupt.h"
#include "sql/temporary_database.h"
#include "support/message_of.h"

namespace croft::database_test {
namespace {

// Rows as text: cells with |, NULL as -, and the type of each as i, r or t.
std::string rows(const Database& database, const std::string& sql) {
  const QueryText text{sql, "s.toml", 3, "template 'next'"};
  Query query(database, text);
  std::string all;
  while (query.next()) {
    for (std::size_t k = 0; k < query.columns(); ++k) {
      const CellType type = query.type(k);
      all += k > 0 ? "|" : "";
      all += type == CellType::null ? "-" : std::string(query.text(k));
      all += type == CellType::integer ? ":i" : type == CellType::real ? ":r" : "";
    }
    all += "\n";
  }
  return all;
}

TEST(Database, ReadsAFileOfSqlite) {
  const TemporaryFolder folder;
  run_sql(folder / "d.sqlite", "create table t(a, b); insert into t values (1, 'x'), (2.5, null)");
  const Database database = Database::open({folder / "d.sqlite"});
  EXPECT_EQ(rows(database, "select * from t"), "1:i|x\n2.5:r|-\n");
}

TEST(Database, APipeBesideItIsAnErrorAndNoWaiting) {
  for (const std::string end : {"-journal", "-wal", "-shm"}) {
    const TemporaryFolder folder;
    const std::string path = folder / "d.sqlite";
    run_sql(path, "create table t(a)");
    ASSERT_EQ(::mkfifo((path + end).c_str(), 0600), 0);
    const std::string message = message_of<Error>([&] { Database::open({path}); });
    EXPECT_EQ(message.find(path + end + ": this is no file"), 0u) << message;
  }
}

TEST(Database, APipeBesideTheFileThatALinkMeansIsAnErrorToo) {
  const TemporaryFolder folder;
  run_sql(folder / "d.sqlite", "create table t(a)");
  std::filesystem::create_symlink("d.sqlite", folder / "link.sqlite");
  ASSERT_EQ(::mkfifo((folder / "d.sqlite-journal").c_str(), 0600), 0);
  const std::string message = message_of<Error>([&] { Database::open({folder / "link.sqlite"}); });
  EXPECT_NE(message.find("d.sqlite-journal: this is no file"), std::string::npos) << message;
}

TEST(Database, APipeIsNone) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(message_of<Error>([&] { Database::open({path}); }),
            path + ": this is a pipe, and tables are read twice; give a file");
}

TEST(Database, QueriesCanOnlyRead) {
  const TemporaryFolder folder;
  const std::string path = folder / "d.sqlite";
  run_sql(path, "create table t(a); insert into t values (1)");
  const Database database = Database::open({path});
  for (const std::string sql :
       {"delete from t", "drop table t", "insert into t values (2) returning a",
        "create table u(a)", "pragma journal_mode", "begin", "vacuum"}) {
    EXPECT_THROW(rows(database, sql), InputError) << sql;
  }
  const std::string other = folder / "other.sqlite";
  EXPECT_THROW(rows(database, "attach '" + other + "' as o"), InputError);
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_EQ(rows(database, "select count(*) from t"), "1:i\n");
  EXPECT_NE(message_of<Error>([&] { rows(database, "delete from t"); }).find("does more than read"),
            std::string::npos);
  EXPECT_NE(message_of<Error>([&] {
              rows(database, "select 1; select 2");
            }).find("more than one statement"),
            std::string::npos);
  EXPECT_NE(message_of<Error>([&] { rows(database, "  "); }).find("no columns"), std::string::npos);
  EXPECT_EQ(rows(database, "select 1; -- the end\n"), "1:i\n");
}

TEST(Database, ErrorsOfAQueryNameFileLineOwnerAndQuery) {
  const TemporaryFolder folder;
  run_sql(folder / "d.sqlite", "create table t(a)");
  const Database database = Database::open({folder / "d.sqlite"});
  EXPECT_EQ(message_of<Error>([&] { rows(database, "select b\n  from t;"); }),
            "s.toml:3: template 'next': SQLite says: no such column: b (" + (folder / "d.sqlite") +
                "), in the query \"select b from t\"");
  run_sql(folder / "d.sqlite", "insert into t values (x'00ff')");
  EXPECT_NE(message_of<Error>([&] {
              rows(database, "select a from t");
            }).find("row 1: a blob in the column \"a\""),
            std::string::npos);
  // What SQLite says may have line ends.
  const std::string unclosed = message_of<Error>([&] { rows(database, "select \"a\nfrom t"); });
  EXPECT_NE(unclosed.find("unrecognized token"), std::string::npos);
  EXPECT_EQ(unclosed.find('\n'), std::string::npos);
  // SQLite finds this while it runs.
  EXPECT_NE(message_of<Error>([&] {
              rows(database, "select abs(-9223372036854775808)");
            }).find("integer overflow"),
            std::string::npos);
}

TEST(Database, CsvFilesAreTables) {
  const TemporaryFolder folder;
  const std::string a =
      folder.write("a.csv", "id,word,size,code\n1,\"x,\"\"y\"\"\",1.5,007\n2,,-2,12\n");
  const std::string b = folder.write("b two.tsv", "id\tto\n1\t2\n2\t\n");
  const Database database = Database::open({a, b});
  // A column is of numbers where all its cells are; a leading zero is no number.
  EXPECT_EQ(rows(database, "select * from a order by id"),
            "1:i|x,\"y\"|1.5:r|007\n2:i|-|-2.0:r|12\n");
  EXPECT_EQ(rows(database, "select a.id, b.\"to\" from a join \"b two\" b on a.id = b.id"),
            "1:i|2:i\n2:i|-\n");
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// As big-endian, of four bytes.
std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// The end of a journal that belongs to a journal over several files.
std::string super_journal(const std::string& name) {
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(c);
  return word((1u << 30) / 4096 + 1) + name + word(static_cast<std::uint32_t>(name.size())) +
         word(sum) + "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
}

TEST(Database, AChangeThatWasLeftHalfDoneIsAnErrorAndNoFileIsTouched) {
  const TemporaryFolder folder;
  const std::string path = folder / "d.sqlite", left = folder / "left.sqlite";
  run_sql(path,
          "create table t(x); with recursive n(k) as (select 1 union all select k + 1 from n where "
          "k < 20000) insert into t select zeroblob(100) from n");
  sqlite3* writer = nullptr;
  sqlite3_open(path.c_str(), &writer);
  sqlite3_exec(writer, "pragma cache_size = 10; begin immediate; update t set x = 'new'", nullptr,
               nullptr, nullptr);
  // What is in the files at this moment is what a killed process leaves.
  for (const char* part : {"", "-journal"}) std::filesystem::copy_file(path + part, left + part);
  sqlite3_close(writer);
  // SQLite would delete the file that the journal names.
  const std::string other = folder.write("precious.txt", "not a journal");
  std::ofstream(left + "-journal", std::ios::binary | std::ios::app) << super_journal(other);
  const std::string before = bytes_of(left), journal = bytes_of(left + "-journal");
  const std::string message = message_of<Error>([&] { Database::open({left}); });
  EXPECT_NE(message.find("stopped while it wrote"), std::string::npos) << message;
  EXPECT_EQ(bytes_of(left), before);
  EXPECT_EQ(bytes_of(left + "-journal"), journal);
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_NE(message_of<Error>([&] {
              open_sqlite(left, SqliteUse::write);
            }).find("stopped while it wrote"),
            std::string::npos);
  EXPECT_EQ(bytes_of(left), before);
  EXPECT_TRUE(std::filesystem::exists(other));
}

TEST(Database, OnlyFunctionsThatReadAreAllowed) {
  const TemporaryFolder folder;
  const std::string path = folder / "d.sqlite";
  run_sql(path,
          "create table t(a); insert into t values ('x y'); "
          "create virtual table f using fts4(a); insert into f values ('x y'); "
          "create view v as select load_extension(a) as a from t");
  const Database database = Database::open({path});
  for (const std::string sql :
       {"select fts3_tokenizer('simple')", "select fts3_tokenizer('simple', x'4142434445464748')",
        "select load_extension('x.so')", "select sqlite_version()"}) {
    const std::string message = message_of<Error>([&] { rows(database, sql); });
    EXPECT_NE(message.find("is none that a query may use"), std::string::npos) << sql << message;
  }
  EXPECT_NE(message_of<Error>([&] { rows(database, "select a from v"); }), "no error");
  EXPECT_NE(message_of<Error>([&] { rows(database, "select a from f where f match 'x'"); }),
            "no error");
  EXPECT_EQ(rows(database,
                 "select upper(a), json_extract('[1,2]', '$[1]'), round(2.5), substr(a, 1, 1), "
                 "row_number() over (order by a), date('2020-01-01'), ifnull(null, 3), a || '!' "
                 "from t where a like 'x%' and a glob '*y'"),
            "X Y|2:i|3.0:r|x|1:i|2020-01-01|3:i|x y!\n");
  EXPECT_EQ(rows(database, "select sum(value), count(*) from json_each('[1,2,3]')"), "6:i|3:i\n");
}

TEST(Database, AQueryIsStoppedAtItsLimits) {
  const TemporaryFolder folder;
  const std::string path = folder / "d.sqlite";
  std::string views = "create table t(a); create view v0 as select a from t";
  for (int k = 1; k < 15; ++k) {
    const std::string last = "v" + std::to_string(k - 1);
    views += "; create view v" + std::to_string(k) + " as select a from " + last +
             " union all select a from " + last;
  }
  run_sql(path, views);
  const Database database = Database::open({path}, {.seconds = 0.2, .memory = 1 << 20});
  const auto message = [&](const std::string& sql) {
    return message_of<Error>([&] { rows(database, sql); });
  };
  const std::string endless = "with recursive c(x) as (select 1 union all select x + 1 from c) ";
  EXPECT_NE(message(endless + "select max(x) from c").find("more than 0.2 seconds"),
            std::string::npos);
  const Database strict = Database::open({path}, {.seconds = 60, .memory = 1 << 20});
  const std::string distinct = "with recursive c(x) as (select 1 union select x + 1 from c) ";
  EXPECT_NE(message_of<Error>([&] {
              rows(strict, distinct + "select 1 from c where x < 0");
            }).find("bytes of memory"),
            std::string::npos);
  EXPECT_NE(message(endless + "select hex(zeroblob(1000)) from c").find("bytes of memory"),
            std::string::npos);
  EXPECT_NE(message("select hex(zeroblob(900000))").find("too big"), std::string::npos);
  const Database patient = Database::open({path}, {.seconds = 60});
  EXPECT_NE(message_of<Error>([&] { rows(patient, "select a from v14"); }).find("too many parts"),
            std::string::npos);
  // What has been spent on one query is not taken from the next.
  EXPECT_EQ(rows(database, "select 1"), "1:i\n");
}

TEST(Database, NoCallOfAFunctionTakesLong) {
  const TemporaryFolder folder;
  run_sql(folder / "d.sqlite", "create table t(a)");
  const Database database = Database::open({folder / "d.sqlite"});
  const std::string text = "printf('%.9999c','a') || hex(zeroblob(400000))";
  for (const std::string& sql :
       {"select trim(" + text + ", " + text + ")", "select instr(" + text + ", " + text + ")",
        "select replace(" + text + ", " + text + ", '')",
        "select json_patch('\"' || " + text + " || '\"', '\"' || " + text + " || '\"')",
        std::string("select printf('%s %08000000c', 1, 'x')"),
        std::string("select format('%.*c', 2000000000, 'x')")}) {
    const auto began = std::chrono::steady_clock::now();
    EXPECT_NE(message_of<Error>([&] { rows(database, sql); }).find("SQLite says: "),
              std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5)) << sql;
  }
  EXPECT_EQ(rows(database,
                 "select trim('xxaxx', 'x'), ltrim('  a'), rtrim('ab', 'b'), instr('äb', 'b'), "
                 "replace('aba', 'b', '--'), printf('%d%%-%5.2f|%s', 7, 2.5, null), "
                 "json_patch('{\"a\":1}', '{\"b\":2}'), instr(null, 'a')"),
            "a|a|a|2:i|a--a|7%- 2.50||{\"a\":1,\"b\":2}|-\n");
}

TEST(Database, LongWholeNumbersOfACsvFileKeepTheirDigits) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "a.csv", "id,small\n18446744073709551615,-9223372036854775808\n18446744073709551614,1\n");
  const Database database = Database::open({path});
  EXPECT_EQ(rows(database, "select * from a"),
            "18446744073709551615|-9223372036854775808:i\n18446744073709551614|1:i\n");
}

TEST(Database, BadFilesSayWhatIsWrong) {
  const TemporaryFolder folder;
  EXPECT_NE(
      message_of<Error>([&] { Database::open({folder / "none.sqlite"}); }).find("cannot open"),
      std::string::npos);
  EXPECT_THROW(Database::open({}), UsageError);
  const std::string text = folder.write("d.txt", "a,b\n");
  EXPECT_NE(message_of<Error>([&] { Database::open({text}); }).find("no file of SQLite"),
            std::string::npos);
  const std::string csv = folder.write("a.csv", "a,b\n1\n");
  EXPECT_NE(message_of<Error>([&] {
              Database::open({csv});
            }).find("a.csv:2: 1 cell where the header has 2"),
            std::string::npos);
  run_sql(folder / "d.sqlite", "create table t(a)");
  EXPECT_THROW(Database::open({csv, folder / "d.sqlite"}), UsageError);
  const std::string good = folder.write("g.csv", "a\n1\n");
  EXPECT_THROW(Database::open({good, good}), UsageError);
  const std::string twice = folder.write("c.csv", "a,A\n");
  EXPECT_NE(message_of<Error>([&] { Database::open({twice}); }).find("twice in the header"),
            std::string::npos);
  const std::string empty = folder.write("e.csv", "");
  EXPECT_NE(message_of<Error>([&] { Database::open({empty}); }).find("an empty file"),
            std::string::npos);
  // The magic of a database, and then none.
  const std::string broken = folder.write("x.sqlite", std::string("SQLite format 3\0junk", 20));
  EXPECT_THROW(rows(Database::open({broken}), "select * from t"), Error);
}

TEST(Database, AnInterruptionEndsAQuery) {
  const TemporaryFolder folder;
  run_sql(folder / "d.sqlite", "create table t(a)");
  const Database database = Database::open({folder / "d.sqlite"});
  interruption = true;
  EXPECT_THROW(rows(database,
                    "with recursive c(x) as (select 1 union all select x + 1 from c where x < 1e8) "
                    "select max(x) from c"),
               Interrupted);
  interruption = false;
}

}  // namespace
}  // namespace croft::database_test
