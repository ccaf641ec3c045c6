#include "app/align/align_pairs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "align/mutual.h"
#include "app/align/best_map.h"
#include "app/align/link_report.h"
#include "app/align/unspaced_sides.h"
#include "app/attention/attention_kinds.h"
#include "app/lines/likeness_warning.h"
#include "app/lines/text_lines.h"
#include "core/error.h"
#include "core/option_name.h"
#include "data/pair_reader.h"

namespace attend::app {

namespace {

using Window = std::vector<data::LinePair>;

Window turned(const Window& window) {
  Window result;
  for (const data::LinePair& pair : window) result.push_back({pair.target, pair.source});
  return result;
}

/// The pairs of a window, decoded by each model.
struct ForcedWindow {
  std::vector<ForcedPair> pairs;
  std::vector<ForcedPair> reverse;   // source and target swapped; empty: no model
  std::vector<ForcedPair> compared;  // empty: no model
};

class PairAligner {
 public:
  /// `gold` may be null.
  PairAligner(const AlignPairsOptions& options, torch::Device device, const align::LinkFile* gold)
      : options_(options), gold_(gold) {
    add(model_, options.model, device);
    if (options.reverse) add(reverse_, options.reverse->model, device);
    if (!options.compared_model.empty()) add(compared_, options.compared_model, device);
    check_weights();
  }

  std::optional<align::LinkCounts> run() {
    data::PairReader reader(options_.files);
    AlignmentOutput output(options_.output, names());
    align::LinkCounts counts;
    LikenessWarning likeness(model_->loaded());
    UnspacedSides unspaced;
    LineMeter meter(options_.report, "aligning");
    int64_t first_id = 0;
    for (auto window = next(reader); !window.empty(); window = next(reader)) {
      meter.read({reader.line_number(), reader.share_read()});
      likeness.add(window, first_id + 1);
      unspaced.add(window);
      counts += add_window(window, first_id, output);
      first_id += std::ssize(window);
      meter.add(std::ssize(window));
    }
    reader.warn_about_repairs();
    warn_about_cuts();
    if (options_.output.level == align::Level::kWord)
      unspaced.warn(fmt::format("give {} piece", option_name("level")));
    if (gold_ != nullptr) {
      check_gold_count(options_.files.source, static_cast<std::size_t>(first_id), *gold_);
    }
    output.commit();
    return gold_ != nullptr ? std::optional(counts) : std::nullopt;
  }

 private:
  void add(std::optional<AlignmentModel>& place, const std::string& folder, torch::Device device) {
    LoadedModel loaded = load_model(folder, device);
    const bool turned = &place == &reverse_;
    AlignmentReading reading = options_.reading;
    if (turned) reading.kinds.clear();
    if (&place == &compared_ && !reading.kinds.empty())
      reading.kinds = shared_kinds(asked_kinds(reading.kinds, model_->loaded()), loaded);
    if (options_.best_map) {
      require_attention(loaded, option_name("head") + " best");
      reading = best_reading(loaded, reading, {options_.files, *gold_, options_.judge, turned});
    }
    place.emplace(std::move(loaded), reading);
  }

  // Only JSONL can represent a model without attention.
  void check_weights() const {
    if (!options_.output.jsonl) model_->require_weights(option_name("format") + " pharaoh");
    if (options_.reading.method.matrices({})) model_->require_weights(option_name("method"));
    if (!options_.gold.empty()) model_->require_weights(option_name("gold"));
    if (!options_.output.heatmaps.empty()) model_->require_weights(option_name("heatmaps"));
    if (reverse_) reverse_->require_weights(option_name("reverse-model"));
    if (compared_) compared_->require_weights(option_name("compare-model"));
  }

  [[nodiscard]] std::vector<std::string> names() const {
    if (!compared_) return {};
    return {options_.model, options_.compared_model};
  }

  Window next(data::PairReader& reader) const { return read_pairs(reader, model_->window()); }

  ForcedWindow force(const Window& window, int64_t first_id) {
    ForcedWindow forced;
    forced.pairs = model_->force(window, first_id);
    if (reverse_) forced.reverse = reverse_->force(turned(window), first_id);
    if (compared_) forced.compared = compared_->force(window, first_id);
    return forced;
  }

  align::LinkCounts add_window(const Window& window, int64_t first_id, AlignmentOutput& output) {
    const ForcedWindow forced = force(window, first_id);
    align::LinkCounts counts;
    for (std::size_t i = 0; i < window.size(); ++i) {
      const AlignedPair pair = aligned(forced, i, gold_of(forced.pairs[i].id, window[i]));
      if (pair.gold) counts += align::count_links(pair.links, *pair.gold, options_.judge);
      output.add(pair);
    }
    return counts;
  }

  // Unset beyond the end of the gold file; run() compares the line counts at the end.
  [[nodiscard]] std::optional<align::GoldLinks> gold_of(int64_t id,
                                                        const data::LinePair& pair) const {
    const auto line = static_cast<std::size_t>(id);
    if (gold_ == nullptr || line >= gold_->size()) return std::nullopt;
    const bool several = data::count_sources(model_->loaded().experiment.data) > 1;
    gold_->check_inside(line, pair_size(pair.source, pair.target, several));
    return gold_->gold(line);
  }

  [[nodiscard]] AlignedPair aligned(const ForcedWindow& forced, std::size_t i,
                                    std::optional<align::GoldLinks> gold) const {
    AlignedPair pair{.view = {*model_, forced.pairs[i]},
                     .compared = std::nullopt,
                     .links = links(forced, i),
                     .gold = std::move(gold)};
    if (compared_) pair.compared.emplace(PairView{*compared_, forced.compared[i]});
    return pair;
  }

  [[nodiscard]] align::Links links(const ForcedWindow& forced, std::size_t i) const {
    const align::Level level = options_.output.level;
    if (!reverse_) return model_->links(forced.pairs[i], level);
    if (!options_.reverse->how) {
      return align::mutual_links(model_->matrix(forced.pairs[i], level),
                                 reverse_->matrix(forced.reverse[i], level),
                                 options_.reading.threshold);
    }
    const align::Links back = reverse_->links(forced.reverse[i], level);
    return align::symmetrize(model_->links(forced.pairs[i], level), align::transposed(back),
                             *options_.reverse->how);
  }

  void warn_about_cuts() const {
    model_->warn_about_cuts();
    if (reverse_) reverse_->warn_about_cuts();
    if (compared_) compared_->warn_about_cuts();
  }

  const AlignPairsOptions& options_;
  const align::LinkFile* gold_;
  std::optional<AlignmentModel> model_;  // always set
  std::optional<AlignmentModel> reverse_;
  std::optional<AlignmentModel> compared_;
};

void check_gold(const align::LinkFile& gold, const MeasuredPairs& pairs) {
  check_links_fit(gold, pairs);
  check_gold_count(pairs.source, pairs.sizes.size(), gold);
}

}  // namespace

std::optional<align::LinkCounts> align_pairs(const AlignPairsOptions& options,
                                             torch::Device device) {
  check_no_heatmap(options.output.output, "output", options.output.heatmaps,
                   options.output.heatmap_format);
  std::optional<align::LinkFile> gold;
  if (!options.gold.empty()) gold.emplace(options.gold, align::LinkFormat::kGold);
  // If the sentences can be read twice, check the gold file before the models run.
  const data::PairFiles& files = options.files;
  const bool twice = can_read_again(files.source) && can_read_again(files.target);
  if (gold && twice) check_gold(*gold, measure_pairs(files));
  if (options.best_map && !twice) {
    throw UsageError(option_name("head") + " best reads the sentences twice; give regular files");
  }
  return PairAligner(options, device, gold ? &*gold : nullptr).run();
}

}  // namespace attend::app
