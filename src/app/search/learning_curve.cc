#include "app/search/learning_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/infer/svg_text.h"
#include "app/label/predict.h"
#include "app/label/row_reader.h"
#include "app/search/trials.h"
#include "app/train/data_blocks.h"
#include "app/train/data_groups.h"
#include "core/json.h"
#include "croft/core/error.h"
#include "croft/core/interrupt.h"
#include "croft/core/random.h"
#include "model/kinds/model_file.h"

namespace croft {
namespace {

class CurveRun {
 public:
  CurveRun(const CurveRequest& request, const CurveCalls& calls)
      : r_(request),
        calls_(calls),
        form_{request.format, request.spans, request.delimiter, request.ignored},
        data_(read_blocks(request.data, form_)),
        groups_(members_of(group_by(request.group_by, data_, form_), data_.blocks.size())),
        points_(request.shares.size()) {
    const auto mark = request.group_by.empty() && request.format == InputFormat::columns
                          ? document_mark(data_)
                          : std::nullopt;
    // Some of a document's sentences in a share say much of the others.
    if (calls.warn && mark && !request.contiguous) {
      calls.warn(ungrouped_warning(*mark, "on both sides of a share"));
    }
  }

  std::vector<CurvePoint> run() {
    for (std::size_t repeat = 0; repeat < r_.repeats; ++repeat) {
      for (std::size_t k = 0; k < points_.size(); ++k) {
        // All draws of the whole are the same.
        if (repeat == 0 || r_.shares[k] < 1) measure(points_[k], r_.shares[k], r_.seed + repeat);
        if (calls_.progress) calls_.progress(repeat * points_.size() + k + 1, trainings());
      }
    }
    return std::move(points_);
  }

 private:
  std::size_t trainings() const { return r_.repeats * points_.size(); }

  void measure(CurvePoint& point, double share, std::uint64_t seed) {
    if (interruption) throw Interrupted("the learning curve was interrupted");
    const std::vector<std::size_t> which = drawn_share(groups_, share, seed, r_.contiguous);
    point.share = share;
    if (point.test.folds.empty()) point.sequences = which.size();
    const std::string part = folder_.file(named_like(r_.data.front(), "part")),
                      file = folder_.file("model");
    write_text(part, data_.text(which));
    std::vector<std::string> arguments = r_.options;
    arguments.emplace_back("--quiet");
    arguments.push_back(fmt::format("--threads={}", r_.threads));
    arguments.push_back("--output=" + file);
    arguments.push_back(part);
    calls_.train(arguments);
    if (interruption) throw Interrupted("the learning curve was interrupted");
    const auto model = open_model(file);
    point.test.folds.push_back(score(*model, r_.test));
    point.train.folds.push_back(score(*model, part));
  }

  double score(const SequenceModel& model, const std::string& path) const {
    SequenceSource source(path, model, Labels::required);
    ThreadPool pool(r_.threads);
    return score_of(r_.metric,
                    evaluate_model(model, source, ChunkScheme::automatic, pool).summary());
  }

  const CurveRequest& r_;
  const CurveCalls& calls_;
  const BlockForm form_;
  DataBlocks data_;
  std::vector<std::vector<std::size_t>> groups_;
  std::vector<CurvePoint> points_;
  WorkFolder folder_;
};

std::string shown(SearchMetric metric, double score) {
  return in_percent(metric) ? fmt::format("{:.2f} %", 100 * score) : fmt::format("{:.4f}", score);
}

// None of one draw.
std::string error_of(SearchMetric metric, const SearchScore& score) {
  return score.folds.size() < 2 ? "" : "± " + shown(metric, score.standard_error());
}

}  // namespace

std::vector<std::size_t> drawn_share(const std::vector<std::vector<std::size_t>>& groups,
                                     double share, std::uint64_t seed, bool contiguous) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random(seed);
  if (contiguous) {
    const auto first = static_cast<std::ptrdiff_t>(random.below(order.size()));
    std::ranges::rotate(order, order.begin() + first);
  } else {
    shuffle(order, random);
  }
  const double count = std::ceil(share * static_cast<double>(order.size()) - 1e-9);
  order.resize(std::max<std::size_t>(static_cast<std::size_t>(count), 1));
  std::vector<std::size_t> which;
  for (const std::size_t group : order) {
    which.insert(which.end(), groups[group].begin(), groups[group].end());
  }
  std::ranges::sort(which);
  return which;
}

std::vector<CurvePoint> learning_curve(const CurveRequest& request, const CurveCalls& calls) {
  if (request.shares.empty() || request.repeats == 0) {
    throw UsageError("a learning curve has one share of the data, and one draw, at least");
  }
  for (std::size_t k = 0; k < request.shares.size(); ++k) {
    const double share = request.shares[k];
    if (share > 0 && share <= 1 && (k == 0 || share > request.shares[k - 1])) continue;
    throw UsageError("--shares: shares are above 0, at most 1, and each is above the one before");
  }
  return CurveRun(request, calls).run();
}

std::string curve_table(const std::vector<CurvePoint>& points, SearchMetric metric) {
  std::string out = fmt::format("{:>8} {:>10}   {:>10} {:>10}   {:>10}\n", "share", "sequences",
                                name_of(metric), "", "training");
  for (const CurvePoint& each : points) {
    out += fmt::format("{:>7.4g}% {:>10}   {:>10} {:>10}   {:>10}\n", 100 * each.share,
                       each.sequences, shown(metric, each.test.mean()), error_of(metric, each.test),
                       shown(metric, each.train.mean()));
  }
  return out;
}

std::string curve_csv(const std::vector<CurvePoint>& points, SearchMetric metric) {
  std::string out =
      fmt::format("share,sequences,draws,{0},standard_error,training_{0}\n", name_of(metric));
  for (const CurvePoint& each : points) {
    out += fmt::format(
        "{},{},{},{},{},{}\n", each.share, each.sequences, each.test.folds.size(), each.test.mean(),
        each.test.folds.size() < 2 ? "" : fmt::format("{}", each.test.standard_error()),
        each.train.mean());
  }
  return out;
}

std::string curve_svg(const std::vector<CurvePoint>& points, SearchMetric metric) {
  constexpr double kLeft = 80, kTop = 30, kWide = 460, kHigh = 260, kRight = 30, kBelow = 60;
  double low = points[0].test.mean(), high = low, most = 1;
  for (const CurvePoint& each : points) {
    for (const double x : {each.test.mean(), each.train.mean()}) {
      low = std::min(low, x), high = std::max(high, x);
    }
    most = std::max(most, static_cast<double>(each.sequences));
  }
  const double room = std::max(0.05 * (high - low), 1e-4);
  low -= room, high += room;
  const auto across = [&](double sequences) { return kLeft + kWide * sequences / most; };
  const auto up = [&](double score) { return kTop + kHigh * (1 - (score - low) / (high - low)); };
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" "
      "stroke=\"#333\"/>\n",
      kLeft + kWide + kRight, kTop + kHigh + kBelow, kLeft, kTop, kWide, kHigh);
  for (int k = 0; k <= 4; ++k) {
    const double score = low + (high - low) * k / 4;
    out += fmt::format("<path d=\"M{} {:.1f}h{}\" stroke=\"#ddd\"/>\n", kLeft, up(score), kWide);
    out += svg_text_at(kLeft - 6, up(score) + 4, "text-anchor=\"end\"", shown(metric, score));
  }
  const auto line = [&](const char* colour, const char* dash, const auto& of) {
    std::string path;
    for (const CurvePoint& each : points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                          across(static_cast<double>(each.sequences)), up(of(each)));
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n", path,
                       colour, dash);
  };
  line("#D55E00", " stroke-dasharray=\"6 4\"", [](const CurvePoint& p) { return p.train.mean(); });
  line("#0072B2", "", [](const CurvePoint& p) { return p.test.mean(); });
  for (const CurvePoint& each : points) {
    const double x = across(static_cast<double>(each.sequences));
    if (each.test.folds.size() > 1) {
      const double error = each.test.standard_error();
      out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}\" stroke=\"#0072B2\"/>\n", x,
                         up(each.test.mean() - error), up(each.test.mean() + error));
    }
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"#0072B2\"/>\n", x,
                       up(each.test.mean()));
  }
  for (const double share : {0.25, 0.5, 0.75, 1.0}) {
    out += svg_text_at(across(share * most), kTop + kHigh + 18, "text-anchor=\"middle\"",
                       fmt::format("{:.0f}", share * most));
  }
  out += svg_text_at(kLeft + kWide / 2, kTop + kHigh + 38, "text-anchor=\"middle\"",
                     "sequences of training data");
  out += svg_text_at(kLeft, kTop - 10, "fill=\"#0072B2\"",
                     std::string(name_of(metric)) + " on the test data");
  out += svg_text_at(kLeft + kWide, kTop - 10, "text-anchor=\"end\" fill=\"#D55E00\"",
                     "- - on the data that was trained on");
  return out + "</svg>\n";
}

Json to_json(const std::vector<CurvePoint>& points, SearchMetric metric) {
  Json list = Json::array();
  for (const CurvePoint& each : points) {
    Json one = {{"share", each.share},
                {"sequences", each.sequences},
                {"scores", each.test.folds},
                {"mean", each.test.mean()},
                {"training_scores", each.train.folds}};
    if (each.test.folds.size() > 1) one["standard_error"] = each.test.standard_error();
    list.push_back(std::move(one));
  }
  return {{"metric", name_of(metric)}, {"points", list}};
}

}  // namespace croft
