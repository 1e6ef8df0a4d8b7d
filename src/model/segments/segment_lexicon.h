// What a segment model knows of strings of words: which begin or are a segment of the training
// data, which labels they had there, which gazetteers have them.
//
// One FeatureTable: a key is a string with what it is looked up as before it, its cells say what it
// is.  A walk from a word on along kStart finds every segment that is known, without trying others.
// docs/segments.md, docs/format.md "Segments".
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "croft/structure/transitions.h"
#include "data/settings/name_list_file.h"
#include "features/segment_template.h"
#include "model/feature_table.h"

namespace croft {

class SegmentLexicon {
 public:
  static constexpr std::uint32_t kStart = 0;       // something longer goes on from here
  static constexpr std::uint32_t kSegment = 1;     // a segment of the training data
  static constexpr std::uint32_t kFirstLabel = 2;  // + y: one that had label y
  // A weight of a label's cell: 1, or kOnce + n where only sequence n had it (n modulo 2^22).
  static constexpr float kOnce = 2;
  static float once(std::size_t sequence) {
    return kOnce + static_cast<float>(sequence & ((std::size_t{1} << 22) - 1));
  }

  SegmentLexicon() = default;
  // Of sections that SegmentLexiconBuilder wrote.  Throws Error where they do not fit together.
  SegmentLexicon(const Container& container, std::vector<std::string> labels,
                 std::vector<std::string> gazetteers);

  const std::vector<std::string>& gazetteers() const { return gazetteers_; }
  const FeatureTable& table() const { return table_; }
  std::uint32_t first_list() const {
    return kFirstLabel + static_cast<std::uint32_t>(labels_.size());
  }
  // The label or the list of a cell from kFirstLabel on.
  const std::string& member(std::uint32_t cell) const {
    return cell < first_list() ? labels_[cell - kFirstLabel] : gazetteers_[cell - first_list()];
  }

  // Keys.
  static char as_joined(std::uint32_t joined) { return static_cast<char>('0' + joined); }
  static constexpr char kEdit = 'e';

  // Adds the lists that have a name at most one character away, in the sense of
  // GazetteerMatch::edit.  `key` starts with kEdit.
  void find_edited(std::string_view lower, std::string& key,
                   std::vector<std::uint32_t>& lists) const;

  // For GazetteerMatch::overlap: names by their words.
  const FeatureTable& words() const { return words_; }
  struct Name {
    std::uint32_t list, words;  // distinct ones
  };
  Name name(std::uint32_t n) const { return {names_[2 * n], names_[2 * n + 1]}; }
  std::size_t names() const { return names_.size() / 2; }

 private:
  std::vector<std::string> labels_, gazetteers_;
  FeatureTable table_, words_;
  std::span<const std::uint32_t> names_;  // [names][2]
};

class SegmentLexiconBuilder {
 public:
  SegmentLexiconBuilder(const SegmentTemplates& templates, std::size_t labels,
                        std::span<const NameList> gazetteers);

  // A segment of sequence n, as joined() number `joined` of the templates has it.
  void add_segment(std::uint32_t joined, std::string_view string, Label y, std::size_t n);

  // After all segments: what another lexicon knows and this one does not.
  //   joined : of the other's, the number here, or kUnknown: left out
  //   labels : of the other's, the number here
  //   lists  : its gazetteers, too, which must be those of the constructor, in their order
  void keep(const SegmentLexicon& other, std::span<const std::uint32_t> joined,
            std::span<const Label> labels, bool lists);

  //   weigh_once : with the weights of kOnce, for training; else all are 1
  void write(bool weigh_once, ContainerWriter& out) const;

 private:
  void add(char kind, std::string_view string, std::uint32_t cell, float weight);
  void add_starts(char kind, std::string_view string);
  void add_gazetteer(const SegmentTemplates& templates, const NameList& list, std::uint32_t number);

  std::size_t labels_, lists_;
  std::map<std::string, std::map<std::uint32_t, float>, std::less<>> rows_;
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> words_;  // of names
  std::vector<std::uint32_t> names_;
};

// Appends a word as it stands in joined strings.
void append_joined(JoinedAs as, std::string_view word, std::string& out);

}  // namespace croft
