#include "app/align/statistical_pairs.h"

#include <utility>

#include "align/extract.h"
#include "align/mutual.h"
#include "align/statistical/statistical_aligner.h"
#include "app/align/link_report.h"
#include "app/align/numbered_text.h"
#include "app/align/unspaced_sides.h"
#include "core/log.h"
#include "core/signal.h"
#include "runtime/side_by_side.h"

namespace attend::app {

namespace {

/// Fewer pairs than this get a warning.
constexpr std::size_t kFewestPairs = 1000;

constexpr const char* kStopped = "stopped by a signal; nothing was written";

/// Reports progress in lines: one sweep of one sampler over a pair is a fraction of its line.
class SweepMeter {
 public:
  SweepMeter(const ReportProgress& report, int64_t lines, int64_t sweeps)
      : meter_(scaled(report, sweeps), "aligning") {
    meter_.read({lines * sweeps, 1.0});
  }

  void add(int64_t lines) { meter_.add(lines); }

 private:
  static ReportProgress scaled(const ReportProgress& report, int64_t sweeps) {
    if (!report) return {};
    return [report, sweeps](data::ReadingProgress progress) {
      progress.lines /= sweeps;
      report(progress);
    };
  }

  LineMeter meter_;
};

class StatisticalPairs {
 public:
  /// `gold` may be null.
  StatisticalPairs(const StatisticalPairsOptions& options, NumberedText text,
                   const align::LinkFile* gold)
      : options_(options),
        lines_(std::move(text.lines)),
        aligner_(std::move(text.readings), aligner_options()),
        output_(options.output, gold),
        meter_(
            options.report, std::ssize(lines_),
            std::ssize(options.stems) * 2 * options.samplers * (plan_.sweeps() + plan_.averaged)) {
    if (!options.save_priors.empty()) priors_file_.emplace(options.save_priors);
  }

  std::optional<align::LinkCounts> run() {
    log::info("{} pairs: {} samplers of {} + {} + {} sweeps (Model 1, HMM, fertility)",
              lines_.size(), aligner_.samplers(), plan_.model1, plan_.hmm, plan_.fertility);
    if (lines_.size() < kFewestPairs && options_.priors.empty()) {
      log::warning(
          "{} pairs are few to learn from; align them together with more text of the same "
          "languages, or give its --priors",
          lines_.size());
    }
    UnspacedSides unspaced;
    unspaced.add(lines_);
    unspaced.warn("tokenise it first");
    aligner_.train();
    for (std::size_t first = 0; first < lines_.size();) first += add_block(first);
    output_.commit();
    if (priors_file_) priors_.write(*priors_file_);
    return output_.counts();
  }

 private:
  align::StatisticalOptions aligner_options() {
    plan_ = align::sampling_plan(lines_.size());
    align::StatisticalOptions result;
    result.plan = plan_;
    result.samplers = options_.samplers;
    result.seed = static_cast<uint64_t>(options_.seed);
    result.run = runtime::run_on_single_threads;
    result.swept = [this] {
      meter_.add(std::ssize(lines_));
      stop_if_requested(kStopped);
    };
    return result;
  }

  // Bounds the cells of a block, so that the weights of all its pairs and samplers fit into memory.
  std::size_t add_block(std::size_t first) {
    constexpr std::size_t kCells = std::size_t{1} << 20U;
    std::vector<align::AttentionMatrix> words;
    std::size_t cells = 0;
    for (std::size_t p = first; p < lines_.size() && cells < kCells; ++p) {
      words.push_back(word_matrix(lines_[p]));
      cells += words.back().source.size() * words.back().target.size();
    }
    const auto weights = aligner_.weights(first, words.size());
    for (std::size_t i = 0; i < words.size(); ++i) add(std::move(words[i]), weights[i]);
    stop_if_requested(kStopped);
    meter_.add(std::ssize(words) * plan_.averaged * static_cast<int64_t>(aligner_.samplers()));
    return words.size();
  }

  void add(align::AttentionMatrix words, const align::SampledWeights& weights) {
    const align::AttentionMatrix forward = direction(words.target, words.source, weights.forward);
    const align::AttentionMatrix reverse = direction(words.source, words.target, weights.reverse);
    const bool aligned = weights.forward.rows() == words.target.size();
    if (aligned) words.weights = without_traces(align::mean_weights(forward, reverse));
    const align::Links found = links(words, forward, reverse);
    if (priors_file_) priors_.add(words, found);
    output_.add(words, found);
  }

  // Sets tiny weights to 0. Most weights are tiny, and as zeros they take a third of the space in a
  // file.
  static align::WeightTable without_traces(align::WeightTable table) {
    constexpr float kTrace = 1e-4F;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      for (std::size_t column = 0; column < table.columns(); ++column) {
        if (table(row, column) < kTrace) table(row, column) = 0.0F;
      }
    }
    return table;
  }

  // The last column, "no link", takes the place of the end symbol in a model's matrix.
  static align::AttentionMatrix direction(const std::vector<std::string>& rows,
                                          std::vector<std::string> columns,
                                          const align::WeightTable& weights) {
    columns.emplace_back();
    return {.target = rows,
            .source = std::move(columns),
            .target_end = false,
            .source_end = true,
            .weights = weights,
            .heads = {}};
  }

  [[nodiscard]] align::Links links(const align::AttentionMatrix& words,
                                   const align::AttentionMatrix& forward,
                                   const align::AttentionMatrix& reverse) const {
    if (!options_.how)
      return align::extract_links(words, options_.threshold.value_or(options_.kThreshold));
    return align::symmetrize(align::extract_links(forward, options_.threshold),
                             align::transposed(align::extract_links(reverse, options_.threshold)),
                             *options_.how);
  }

  const StatisticalPairsOptions& options_;
  std::vector<data::LinePair> lines_;
  align::SamplingPlan plan_;
  align::StatisticalAligner aligner_;
  WordLinkOutput output_;
  LinkPriors priors_;
  std::optional<OutputFile> priors_file_;
  SweepMeter meter_;
};

MeasuredPairs measure_lines(const std::string& source, const std::vector<data::LinePair>& lines) {
  MeasuredPairs pairs{source, {}};
  for (const data::LinePair& pair : lines)
    pairs.sizes.push_back(pair_size(pair.source, pair.target, /*several_sources=*/false));
  return pairs;
}

}  // namespace

std::optional<align::LinkCounts> align_statistically(const StatisticalPairsOptions& options) {
  std::optional<align::LinkFile> gold;
  if (!options.output.gold.empty()) gold.emplace(options.output.gold, align::LinkFormat::kGold);
  std::vector<WordLinkCount> known;
  if (!options.priors.empty()) known = read_link_priors(options.priors);
  NumberedText text = read_numbered_text(options.files, options.stems, known);
  if (gold) {
    check_links_fit(*gold, measure_lines(options.files.source, text.lines));
    check_gold_count(options.files.source, text.lines.size(), *gold);
  }
  return StatisticalPairs(options, std::move(text), gold ? &*gold : nullptr).run();
}

}  // namespace attend::app
