#include "app/search/search_state.h"

#include <filesystem>
#include <limits>

#include "core/files.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "data/settings/field_files.h"

namespace croft {

SearchScores parse_search_state(std::string_view text, const std::string& path,
                                const std::string& fingerprint) {
  SearchScores scores;
  std::string found;
  const auto whole = [](const Json& each, std::size_t k) { return each.at(k).get<std::size_t>(); };
  try {
    const Json document = parse_json(text);
    found = document.at("search").get<std::string>();
    for (const Json& each : document.at("scores")) {
      const Json& score = each.at(3);  // null: infinite
      scores[{whole(each, 0), whole(each, 1), whole(each, 2)}] =
          score.is_null() ? std::numeric_limits<double>::infinity() : score.get<double>();
    }
  } catch (const JsonError&) {
    throw Error(path + ": this is no state of croft search; give another file, or begin anew");
  }
  if (found == fingerprint) return scores;
  throw Error(path +
              ": this is the state of a search of other data, settings or options; repeat them as "
              "they were, or begin anew with another file");
}

std::string search_state_text(const SearchScores& scores, const std::string& fingerprint) {
  Json list = Json::array();
  for (const auto& [key, score] : scores) {
    list.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), score});
  }
  return Json{{"search", fingerprint}, {"scores", std::move(list)}}.dump() + "\n";
}

void SearchState::open(const std::string& path, bool resume, const std::string& fingerprint) {
  path_ = path;
  fingerprint_ = fingerprint;
  if (path.empty()) return;
  const bool there = std::filesystem::exists(path);
  if (there && !resume) {
    throw UsageError("--state ", path,
                     " is there already: go on from it with --resume, or give another name");
  }
  if (!there && resume) {
    throw UsageError("--resume: ", path, " is not there; leave out --resume to begin");
  }
  if (there) {
    LineReader lines(path);
    scores_ = parse_search_state(text_of(lines), path, fingerprint);
  }
  write();  // what forbids writing is known before the work
}

void SearchState::write() const {
  if (path_.empty()) return;
  AtomicFile file(path_);
  file.write(search_state_text(scores_, fingerprint_));
  file.commit();
}

void SearchState::add(const SearchEvaluation& e) {
  scores_[{e.rung, e.candidate, e.fold}] = e.score;
  write();
}

std::optional<double> SearchState::find(std::size_t rung, std::size_t candidate,
                                        std::size_t fold) const {
  const auto at = scores_.find({rung, candidate, fold});
  return at == scores_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace croft
