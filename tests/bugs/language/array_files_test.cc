#include "bugs/language/array_files.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "core/json.h"
#include "data/text_files.h"
#include "support/message_of.h"

namespace croft::bugs::array_files_test {
namespace {

using Sizes = std::vector<std::size_t>;
using Numbers = std::vector<double>;

Arrays dump_of(std::string_view text) { return read_r_dump(LineReader(text, "d.R")).sets.at(0); }
Arrays json_of(std::string_view text) {
  return read_json_arrays(LineReader(text, "d.json")).sets.at(0);
}
Arrays csv_of(std::string_view text) {
  return read_csv_arrays(LineReader(text, "d.csv")).sets.at(0);
}

std::string dump_fault(std::string_view text) {
  return message_of<InputError>([&] { read_r_dump(LineReader(text, "d.R")); });
}
std::string json_fault(std::string_view text) {
  return message_of<InputError>([&] { read_json_arrays(LineReader(text, "d.json")); });
}

TEST(BugsRDump, NumbersVectorsAndArrays) {
  const Arrays arrays = dump_of(
      "\"rt\" <-\nc(3, 7.5, -5, 1e-3,\n  NA)\n`nt` = 12L; .x <- 1:4 # a comment\n"
      "y <- structure(c(1, 2, 3, 4, 5, 6), .Dim = as.integer(c(2,\n3)), .Dimnames = list(NULL, "
      "c(\"a\", \"b\", \"c\")))\n"
      "back <- c(a = 3:1, rep(0, 2), -Inf)\nnone <- integer(0)\nt <- TRUE\nneg <- -(2:3)\n");
  EXPECT_EQ(arrays.at("rt").dimensions, Sizes{5});
  EXPECT_EQ(arrays.at("rt").values[2], -5);
  EXPECT_TRUE(std::isnan(arrays.at("rt").values[4]));
  EXPECT_EQ(arrays.at("nt").dimensions, Sizes{1});
  EXPECT_EQ(arrays.at("nt").values, Numbers{12});
  EXPECT_EQ(arrays.at(".x").values, (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(arrays.at("y").dimensions, (Sizes{2, 3}));
  EXPECT_EQ(arrays.at("y").values, (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(arrays.at("back").values,
            (Numbers{3, 2, 1, 0, 0, -std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(arrays.at("none").dimensions, Sizes{0});
  EXPECT_EQ(arrays.at("t").values, Numbers{1});
  EXPECT_EQ(arrays.at("neg").values, (Numbers{-2, -3}));
}

TEST(BugsRDump, AListHasNamesOrASetForEachChain) {
  const Arrays one = dump_of("list(a = 1, \"b.c\" = c(2, 3))");
  EXPECT_EQ(one.at("b.c").values, (Numbers{2, 3}));
  const ArrayFile chains =
      read_r_dump(LineReader("list(list(a = 1), list(a = -2, .RNG.seed = 5))", "i.R"));
  ASSERT_EQ(chains.sets.size(), 2u);
  EXPECT_EQ(chains.sets[1].at("a").values, Numbers{-2});
  EXPECT_EQ(chains.ignored, std::vector<std::string>{".RNG.seed"});
  EXPECT_EQ(read_r_dump(LineReader("", "e.R")).sets.size(), 1u);
  EXPECT_EQ(read_r_dump(LineReader("\".RNG.name\" <- \"base::Wichmann-Hill\"\na <- 1", "e.R"))
                .sets[0]
                .size(),
            1u);
}

// As WinBUGS writes it: the last subscript runs fastest.
TEST(BugsRDump, AListHasArraysByRowsAndADumpOfRByColumns) {
  const std::string array = "structure(.Data = c(1, 2, 3, 4, 5, 6), .Dim = c(2, 3))";
  const ArrayFile rows = read_r_dump(LineReader("list(N = 2, Y = " + array + ")", "d.txt"));
  EXPECT_EQ(rows.sets[0].at("Y").dimensions, (Sizes{2, 3}));
  EXPECT_EQ(rows.sets[0].at("Y").values, (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(rows.by_rows, "Y");
  const ArrayFile columns = read_r_dump(LineReader("Y <- " + array + "\nN <- 2", "d.R"));
  EXPECT_EQ(columns.sets[0].at("Y").values, (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(columns.by_rows, "");
  // Three dimensions, and sets for the chains.
  EXPECT_EQ(dump_of("list(a = structure(.Data = c(1:8), .Dim = c(2, 2, 2)))").at("a").values,
            (Numbers{1, 5, 3, 7, 2, 6, 4, 8}));
  const ArrayFile chains = read_r_dump(
      LineReader("list(list(b = " + array + "), list(b = " + array + "))", "inits.txt"));
  EXPECT_EQ(chains.sets[1].at("b").values, (Numbers{1, 4, 2, 5, 3, 6}));
  // R's dput() of a list has dim, which OpenBUGS does not know; one row is one row.
  EXPECT_EQ(dump_of("list(Y = structure(c(1, 2, 3, 4), dim = c(2L, 2L)))").at("Y").values,
            (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(
      read_r_dump(LineReader("list(Y = structure(.Data = c(1, 2), .Dim = c(1, 2)))", "d")).by_rows,
      "");
}

TEST(BugsRDump, AttributesStandInAnyOrder) {
  for (const char* const text :
       {"a = structure(.Dim = c(2, 3), .Data = 1:6)", "a = structure(.Data = 1:6, .Dim = c(2, 3))",
        "a = structure(.Dim = c(2, 3), 1:6)"}) {
    EXPECT_EQ(dump_of(text).at("a").values, (Numbers{1, 2, 3, 4, 5, 6})) << text;
    EXPECT_EQ(dump_of(text).at("a").dimensions, (Sizes{2, 3})) << text;
    EXPECT_EQ(dump_of("list(" + std::string(text) + ")").at("a").values,
              (Numbers{1, 4, 2, 5, 3, 6}))
        << text;
  }
  EXPECT_EQ(dump_fault("a <- structure(.Dim = c(2, 3))"),
            "d.R:1:16: a structure without values: \".Dim\"; write .Data = c(1, 2, 3)");
}

TEST(BugsRDump, TablesOfWinBugsAreColumns) {
  const Arrays arrays =
      dump_of("list(N = 3)\nx[] Y[,1] Y[,2] z[]\n1 -2 3.5 NA\n4 5 6 7\n1e2 8 9 0\nEND\nb <- 2\n");
  EXPECT_EQ(arrays.at("N").values, Numbers{3});
  EXPECT_EQ(arrays.at("b").values, Numbers{2});
  EXPECT_EQ(arrays.at("x").values, (Numbers{1, 4, 100}));
  EXPECT_EQ(arrays.at("x").dimensions, Sizes{3});
  EXPECT_EQ(arrays.at("Y").values, (Numbers{-2, 5, 8, 3.5, 6, 9}));
  EXPECT_EQ(arrays.at("Y").dimensions, (Sizes{3, 2}));
  EXPECT_TRUE(std::isnan(arrays.at("z").values[0]));
  EXPECT_EQ(dump_of("x[] y[]\nEND\n").at("y").dimensions, Sizes{0});
  EXPECT_EQ(dump_fault("x[] y[]\n1 2\n3\nEND\n"),
            "d.R:4:1: the last row has fewer than 2 numbers: \"END\"");
  EXPECT_NE(dump_fault("x[] y[]\n1 2\n").find("ends with a line END"), std::string::npos);
  EXPECT_NE(dump_fault("x[] x[]\n1 2\nEND").find("not the next of its name"), std::string::npos);
  EXPECT_NE(dump_fault("Y[,2] Y[,1]\n1 2\nEND").find("not the next of its name"),
            std::string::npos);
  EXPECT_NE(dump_fault("x[1] <- 2").find("heads such as x[]"), std::string::npos);
}

TEST(BugsArrayFiles, ThatTheyAreReadByRowsIsSaidOnce) {
  const std::string text = " = structure(.Data = c(1, 2, 3, 4), .Dim = c(2, 2)))";
  const TemporaryFile a("list(a" + text), b("list(b" + text);
  ArrayNotes notes;
  read_data_files({a.path(), b.path()}, notes);
  read_init_files({b.path()}, notes);
  EXPECT_EQ(notes.by_rows, std::string(a.path()) +
                               ": \"a\" is read row by row, as OpenBUGS has arrays in list( ); "
                               "without list( they are read column by column, as JAGS and R do");
}

TEST(BugsRDump, FaultsHaveAPlaceAndARemedy) {
  EXPECT_EQ(dump_fault("a <- 1\na <- 2\n"),
            "d.R:2:1: this name has a value before: \"a\"; give each name once");
  EXPECT_EQ(dump_fault("a <- structure(1:6, .Dim = c(2, 2))"),
            "d.R:1:16: the dimensions ask for 4 values, and there are 6: \"1\"");
  EXPECT_EQ(dump_fault("a <- \"text\""),
            "d.R:1:6: a text is no number: \"text\"; code groups and categories as 1, 2, …");
  EXPECT_EQ(dump_fault("a <- mean(1)"),
            "d.R:1:6: this function of R is not known here: \"mean\"; write values with c, "
            "structure, rep, as.integer and a:b, as R's dump() does");
  EXPECT_EQ(dump_fault("a <- c(1, 2"), "d.R:1:12: the text ends here: ) is expected here");
  EXPECT_EQ(dump_fault("a <- \"b"),
            "d.R:1:6: this quoted text has no end: \"b\\n\"; write the "
            "second \"");
  EXPECT_NE(dump_fault("a <- 1:1e12").find("too long"), std::string::npos);
  EXPECT_NE(dump_fault("a <- rep(rep(rep(1, 1e4), 1e4), 1e4)"), "no error");
  EXPECT_NE(dump_fault("a <- " + std::string(10'000, '(')).find("lie in each other"),
            std::string::npos);
  EXPECT_NE(dump_fault("a <- " + std::string(10'000, '-') + "1").find("lie in each other"),
            std::string::npos);
}

TEST(BugsJsonArrays, RowsAreWhatIsWritten) {
  const Arrays arrays = json_of(R"({"a": 1, "y": [1, null, "NA", 2.5], "m": [[1, 2, 3], [4, 5, 6]],
                  "t": [[[1], [2]], [[3], [4]]], "e": []})");
  EXPECT_EQ(arrays.at("a").dimensions, Sizes{1});
  EXPECT_TRUE(std::isnan(arrays.at("y").values[1]));
  EXPECT_TRUE(std::isnan(arrays.at("y").values[2]));
  EXPECT_EQ(arrays.at("m").dimensions, (Sizes{2, 3}));
  EXPECT_EQ(arrays.at("m").values, (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(arrays.at("t").dimensions, (Sizes{2, 2, 1}));
  EXPECT_EQ(arrays.at("t").values, (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(arrays.at("e").dimensions, Sizes{0});
  EXPECT_EQ(read_json_arrays(LineReader(R"([{"a": 1}, {"a": 2}])", "i.json")).sets.size(), 2u);
}

TEST(BugsJsonArrays, FaultsAreToldByName) {
  EXPECT_EQ(json_fault(R"({"m": [[1, 2], [3]]})"),
            "d.json: rows of different lengths, or a number beside a row: \"m\"; write numbers, "
            "null for what is missing, and rows of one length");
  EXPECT_NE(json_fault(R"({"m": "text"})").find("a value that is no number"), std::string::npos);
  EXPECT_NE(json_fault("{\"a\": 1,\n \"b\": }").find("d.json:2:"), std::string::npos);
  EXPECT_NE(json_fault("[1, 2]"), "no error");
  EXPECT_NE(json_fault(R"({"a": 1, "a": 2})"), "no error");
  EXPECT_NE(json_fault(std::string(10'000, '[')), "no error");
}

// A random array as R and as JSON write it is the same array.
RC_GTEST_PROP(BugsArrayFiles, RAndJsonSayTheSame, ()) {
  Array array;
  std::size_t total = 1;
  for (std::size_t k = *rc::gen::inRange<std::size_t>(1, 4); k > 0; --k) {
    array.dimensions.push_back(*rc::gen::inRange<std::size_t>(1, 4));
    total *= array.dimensions.back();
  }
  std::string dump = "x <- structure(c(";
  for (std::size_t i = 0; i < total; ++i) {
    array.values.push_back(*rc::gen::inRange(-1000, 1000) / 8.0);
    dump += (i == 0 ? "" : ", ") + Json(array.values.back()).dump();
  }
  dump += "), .Dim = c(";
  for (std::size_t k = 0; k < array.dimensions.size(); ++k) {
    dump += (k == 0 ? "" : ", ") + std::to_string(array.dimensions[k]);
  }
  dump += "))\n";
  // Element [i, j, …] of nested lists, the first index outermost.
  const std::function<Json(std::size_t, std::size_t, std::size_t)> nested =
      [&](std::size_t level, std::size_t place, std::size_t step) -> Json {
    if (level == array.dimensions.size()) return Json(array.values[place]);
    Json out = Json::array();
    for (std::size_t i = 0; i < array.dimensions[level]; ++i) {
      out.push_back(nested(level + 1, place + i * step, step * array.dimensions[level]));
    }
    return out;
  };
  Json document = Json::object();
  document["x"] = nested(0, 0, 1);
  const Array from_r = dump_of(dump).at("x"), from_json = json_of(document.dump()).at("x");
  RC_ASSERT(from_r.dimensions == array.dimensions);
  RC_ASSERT(from_r.values == array.values);
  RC_ASSERT(from_json.dimensions == array.dimensions);
  RC_ASSERT(from_json.values == array.values);
}

TEST(BugsCsvArrays, AColumnIsAVector) {
  const Arrays arrays = csv_of("x,\"y.z\"\n1,2\n,-3.5\nNA,4\n");
  EXPECT_EQ(arrays.at("x").dimensions, Sizes{3});
  EXPECT_TRUE(std::isnan(arrays.at("x").values[1]));
  EXPECT_TRUE(std::isnan(arrays.at("x").values[2]));
  EXPECT_EQ(arrays.at("y.z").values, (Numbers{2, -3.5, 4}));
  EXPECT_EQ(message_of<InputError>([] { csv_of("x,y\n1,two\n"); }),
            "d.csv:2:3: a cell that is no number: \"two\"; leave it empty, or write NA, where a "
            "value is missing");
  EXPECT_NE(message_of<InputError>([] { csv_of("x,x\n1,2\n"); }), "no error");
  EXPECT_NE(message_of<InputError>([] { csv_of("x,y\n1\n"); }), "no error");
}

TEST(BugsArrayFiles, FilesOfDataShareNoName) {
  const TemporaryFile a("a <- 1\n"), b("a <- 2\n");
  ArrayNotes notes;
  EXPECT_NE(message_of<InputError>([&] {
              read_data_files({a.path(), b.path()}, notes);
            }).find("another file of data has this name before: \"a\""),
            std::string::npos);
  EXPECT_EQ(read_init_files({a.path(), b.path()}, notes).size(), 2u);
}

TEST(BugsArrayFiles, ReadsAllDataOfTheClassicExamples) {
  const std::filesystem::path folder = data_folder() / "bugs";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  std::size_t read = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = each.path().filename().string();
    if (!name.ends_with("-data.R") && !name.ends_with("-init.R") && !name.ends_with("-inits.R")) {
      continue;
    }
    EXPECT_EQ(message_of<InputError>([&] { read_array_file(each.path().string()); }), "no error");
    ++read;
  }
  EXPECT_GT(read, 40u);
}

}  // namespace
}  // namespace croft::bugs::array_files_test
