// CRFsuite's model files, "lCRF", which python-crfsuite and sklearn-crfsuite have, too.
//
//     0  "lCRF", u32 size of the file, "FOMC", u32 100
//    16  u32 0, u32 L labels, u32 A attributes
//    28  u32 offsets: features, labels, attributes, references of labels, references of attributes
//    48  "FEAT", u32 bytes, u32 n; n x {u32 type, u32 from, u32 to, f64 weight}
//        the labels and the attributes (crfsuite_strings.h)
//        "LFRF" and "AFRF", u32 bytes, u32 count; count x u32 offset of {u32 k, k x u32 feature}
//
// A feature of type 0 is (attribute, label), one of type 1 (label before, label).  CRFsuite reaches
// features by the references, and so does this.
#include <algorithm>
#include <span>

#include "model/foreign/crfsuite_strings.h"
#include "model/foreign/foreign_chain.h"

namespace croft {
namespace {

class CrfsuiteReader {
 public:
  CrfsuiteReader(std::string_view bytes, const std::string& file)
      : file_(bytes, file), features_(file_) {}

  ForeignChain read() {
    check_head();
    ForeignChain chain;
    chain.extraction.format = InputFormat::attributes;
    const std::uint32_t labels = file_.u32(20, kHeader), attributes = file_.u32(24, kHeader);
    chain.labels = read_crfsuite_strings(at_field(32), labels, "label");
    std::vector<std::string> names = read_crfsuite_strings(at_field(36), attributes, "attribute");
    read_features();
    for_each_row(44, "AFRF", Type::state, attributes, [&](std::size_t a, const Row& row) {
      for (const Feature& feature : row) chain.node.add(feature.to, feature.weight);
      chain.node.end_row(std::move(names[a]));
    });
    for_each_row(40, "LFRF", Type::transition, labels, [&](std::size_t from, const Row& row) {
      for (const Feature& feature : row) {
        chain.tied.add(static_cast<std::uint32_t>(from * labels + feature.to), feature.weight);
      }
    });
    chain.tied.end_row("");
    const auto lost = std::ranges::find(seen_, false);
    if (lost != seen_.end()) fail_feature(lost - seen_.begin(), "is of no label or attribute");
    return chain;
  }

 private:
  enum class Type : std::uint32_t { state, transition };
  struct Feature {
    std::uint32_t to;
    double weight;
  };
  using Row = std::vector<Feature>;

  void check_head() const {
    if (file_.piece(0, 4, kHeader) != "lCRF" || file_.piece(8, 4, kHeader) != "FOMC") {
      file_.fail("no CRFsuite model of kind FOMC begins", 0);
    }
    const std::uint32_t size = file_.u32(4, kHeader), version = file_.u32(12, kHeader);
    if (size > file_.size()) {
      file_.fail("only " + std::to_string(file_.size()) + " of " + std::to_string(size) + " bytes",
                 file_.size());
    }
    if (version != kCrfsuiteVersion) {
      file_.fail("version " + std::to_string(version) + " of the format, and only " +
                     std::to_string(kCrfsuiteVersion) + " is known",
                 12);
    }
  }

  // What begins at the offset that a field of the header has.
  ForeignBytes at_field(std::size_t field) const {
    return file_.rest(file_.u32(field, kHeader), "what the header names");
  }
  ForeignBytes chunk(std::size_t field, std::string_view magic) const {
    const ForeignBytes from = at_field(field);
    if (from.piece(0, 4, magic) != magic) from.fail("no " + std::string(magic) + " begins", 0);
    return from.part(0, from.u32(4, magic), magic);
  }

  void read_features() {
    features_ = chunk(28, "FEAT");
    const std::uint32_t count = features_.u32(8, kFeature);
    features_.piece(kChunkHead, std::uint64_t{kFeatureBytes} * count, kFeature);
    seen_.assign(count, false);
  }

  // visit(owner, row) of each label or attribute, its features by label.
  template <class Visit>
  void for_each_row(std::size_t field, std::string_view magic, Type type, std::uint32_t owners,
                    const Visit& visit) {
    const ForeignBytes references = chunk(field, magic);
    if (references.u32(8, magic) < owners) references.fail("too few lists of references", 8);
    Row row;
    for (std::uint32_t owner = 0; owner < owners; ++owner) {
      const std::uint32_t at = references.u32(kChunkHead + 4 * std::uint64_t{owner}, magic);
      const std::uint64_t length = file_.u32(at, kReferences);
      const ForeignBytes list = file_.part(std::uint64_t{at} + 4, 4 * length, kReferences);
      row.clear();
      for (std::uint64_t k = 0; k < length; ++k) {
        const std::uint32_t feature = list.u32(4 * k, kReferences);
        if (feature >= seen_.size()) list.fail("no feature has the number", 4 * k);
        row.push_back(feature_of(feature, type, owner));
      }
      std::ranges::sort(row, {}, &Feature::to);
      const auto same = std::ranges::adjacent_find(row, {}, &Feature::to);
      if (same != row.end()) list.fail("two features are of the same label", 0);
      visit(owner, row);
    }
  }

  // Each is referred to once, so references lead to no more than there is.
  Feature feature_of(std::uint32_t id, Type type, std::uint32_t owner) {
    if (seen_[id]) fail_feature(id, "is referred to twice");
    seen_[id] = true;
    const std::uint64_t at = place_of(id);
    if (features_.u32(at, kFeature) != static_cast<std::uint32_t>(type) ||
        features_.u32(at + 4, kFeature) != owner) {
      fail_feature(id, "is not of the label or attribute that refers to it");
    }
    const std::uint32_t to = features_.u32(at + 8, kFeature);
    if (to >= file_.u32(20, kHeader)) fail_feature(id, "is of no label");
    return {to, features_.number<double>(at + 12, kFeature)};
  }

  static std::uint64_t place_of(std::uint64_t id) { return kChunkHead + kFeatureBytes * id; }
  [[noreturn]] void fail_feature(std::int64_t id, const std::string& what) const {
    features_.fail("feature " + std::to_string(id) + " " + what,
                   place_of(static_cast<std::uint64_t>(id)));
  }

  static constexpr std::size_t kChunkHead = 12, kFeatureBytes = 20;
  static constexpr std::string_view kHeader = "the header", kFeature = "a feature",
                                    kReferences = "a list of references";

  ForeignBytes file_, features_;
  std::vector<bool> seen_;  // by feature
};

}  // namespace

ForeignChain read_crfsuite(std::string_view bytes, const std::string& file) {
  return CrfsuiteReader(bytes, file).read();
}

}  // namespace croft
