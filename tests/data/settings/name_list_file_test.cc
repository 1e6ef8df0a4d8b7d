// Files of names.
#include "data/settings/name_list_file.h"

#include <gtest/gtest.h>

namespace croft::name_list_file_test {
namespace {

std::vector<NameList> read(const std::string& text) {
  LineReader lines(text, "names");
  std::vector<NameList> lists;
  read_name_list_file(lines, "towns", lists);
  return lists;
}

TEST(NameListFile, NamesGoToTheirLists) {
  const auto lists = read("New  York\n\n Ulm\nBad Sulz \tspa\nKiel\ttowns\n");
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_EQ(lists[0].name, "towns");
  EXPECT_EQ(lists[0].entries, (std::vector<std::string>{"New York", "Ulm", "Kiel"}));
  EXPECT_EQ(lists[1].name, "spa");
  EXPECT_EQ(lists[1].entries, (std::vector<std::string>{"Bad Sulz"}));
}

TEST(NameListFile, FaultsNameTheLine) {
  for (const char* text :
       {"", "\n \n", "Ulm\n\tspa\n", "Ulm\t\n", "Ulm\tbig town\n", "Ulm\ta\tb\n"}) {
    EXPECT_THROW(read(text), InputError) << text;
  }
  try {
    read("Ulm\n\tspa\n");
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, 2u);
  }
}

}  // namespace
}  // namespace croft::name_list_file_test
