// What a search has scored, in a file that is whole after every score.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace croft {

struct SearchEvaluation {
  std::size_t rung, candidate, fold;
  double score;
};

using SearchScores = std::map<std::tuple<std::size_t, std::size_t, std::size_t>, double>;

// By rung, candidate and fold, from the text of a state.  Throws Error, naming `path`, where it is
// damaged, or of a search with another fingerprint.
SearchScores parse_search_state(std::string_view text, const std::string& path,
                                const std::string& fingerprint);
std::string search_state_text(const SearchScores& scores, const std::string& fingerprint);

class SearchState {
 public:
  // Reads the file where `resume`.  Throws UsageError where it is there and `resume` is false, or
  // is not and it is true, and as parse_search_state().
  //   path : empty: nothing is kept
  void open(const std::string& path, bool resume, const std::string& fingerprint);
  void add(const SearchEvaluation& evaluation);  // and writes the file
  std::optional<double> find(std::size_t rung, std::size_t candidate, std::size_t fold) const;

 private:
  void write() const;
  std::string path_, fingerprint_;
  SearchScores scores_;
};

}  // namespace croft
