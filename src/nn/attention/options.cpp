#include "nn/attention/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "config/keys_of.h"

namespace attend::nn {
namespace {

using Options = AttentionOptions;

// Within these limits no number overflows or vanishes in float32, and no size overflows int64.
constexpr int64_t kLargestSize = 65536;
constexpr int64_t kLongestSource = 1'000'001;  // the largest data.max_length, plus kEos
constexpr double kColdest = 1e-4, kHottest = 1e4;
constexpr double kLargestFactor = 1e4;
constexpr double kLargestFertility = 1e3;

std::string location_needs_a_maximum(const Options& options) {
  if (options.score != ScoreKind::location || options.max_source_length > 0) return "";
  return "location has one weight row per source position, so it must know how many there are: "
         "set max_source_length, for example to data.max_length + 1";
}

std::string features_need_a_vector(const Options& options) {
  if (!options.per_feature || has_vector(options.score)) return "";
  std::vector<ScoreKind> able = enum_values<ScoreKind>();
  std::erase_if(able, [](ScoreKind score) { return !has_vector(score); });
  return fmt::format(
      "per_feature turns the score's vector w into a matrix, but {} has no w; choose one of {}",
      options.score, fmt::join(able, ", "));
}

std::string hard_takes_whole_positions(const Options& options) {
  if (!options.per_feature || options.distribution != DistributionKind::hard) return "";
  return "hard draws one position for all features, so it cannot draw one for each; set "
         "per_feature: false or choose another distribution";
}

std::string filters_have_a_middle(const Options& options) {
  const bool filters =
      is_one_of(options.score, {ScoreKind::convolution, ScoreKind::location_aware});
  if (!filters || options.width % 2 == 1) return "";
  return fmt::format("a filter of {} positions has no middle one; choose an odd width",
                     options.width);
}

std::string fertility_must_show(const Options& options) {
  if (options.fertility == 0.0 || options.fertility > kSmallestFertility) return "";
  return fmt::format(
      "learned fertilities are at least {}, so with a maximum of {} all would be equal; choose a "
      "larger maximum, or 0 to learn none",
      kSmallestFertility, options.fertility);
}

/// Returns the problem if a variant of another score is set, which would be ignored silently.
std::string variants_need_their_score(const Options& options) {
  const auto misplaced = [&](bool asked, const char* key, ScoreKind score) -> std::string {
    if (!asked || options.score == score) return "";
    return fmt::format("{} is a variant of {}, not of {}", key, score, options.score);
  };
  std::string problem = misplaced(options.normalized, "normalized", ScoreKind::additive);
  if (problem.empty())
    problem = misplaced(options.learned_scale, "learned_scale", ScoreKind::scaled_dot);
  if (problem.empty())
    problem = misplaced(options.fertility > 0.0, "fertility", ScoreKind::coverage);
  return problem;
}

std::string sum_needs_sigmoid(const Options& options) {
  if (!options.sum_to_one || options.distribution == DistributionKind::sigmoid) return "";
  return fmt::format("sum_to_one is a variant of sigmoid; {} sums to 1 by itself",
                     options.distribution);
}

std::string average_must_be_taken(const Options& options) {
  if (options.baseline || options.baseline_decay == Options().baseline_decay) return "";
  return "baseline_decay is for the moving average that is subtracted from rewards and has no "
         "effect with baseline: false; leave it out, or set baseline: true";
}

/// Declares the config keys that only some blocks read. `size` is not among them: attention to
/// several sources reads it with any score, and this section does not know the number of sources.
void describe_readers(config::Schema<Options>& schema) {
  const config::KeysOf scores(schema, "score", &Options::score);
  scores.add("max_source_length", &Options::max_source_length, {ScoreKind::location});
  scores.add("layers", &Options::layers, {ScoreKind::deep});
  scores.add("width", &Options::width, {ScoreKind::convolution, ScoreKind::location_aware});
  scores.add("filters", &Options::filters, {ScoreKind::location_aware});
  const config::KeysOf distributions(schema, "distribution", &Options::distribution);
  distributions.add("temperature", &Options::temperature,
                    {DistributionKind::softmax, DistributionKind::hard});
  distributions.add("estimator", &Options::estimator, {DistributionKind::hard});
  distributions.add("reward_weight", &Options::reward_weight, {DistributionKind::hard});
  distributions.add("entropy_bonus", &Options::entropy_bonus, {DistributionKind::hard});
  distributions.add("baseline", &Options::baseline, {DistributionKind::hard});
  distributions.add("baseline_decay", &Options::baseline_decay, {DistributionKind::hard});
  const config::KeysOf estimators(schema, "estimator", &Options::estimator);
  estimators.add("reward_weight", &Options::reward_weight, {Estimator::reinforce});
  estimators.add("entropy_bonus", &Options::entropy_bonus, {Estimator::reinforce});
  estimators.add("baseline", &Options::baseline, {Estimator::reinforce});
  estimators.add("baseline_decay", &Options::baseline_decay, {Estimator::reinforce});
  schema.idle_rule({"baseline_decay", "baseline"}, average_must_be_taken);
  const config::KeysOf scopes(schema, "scope", &Options::scope);
  scopes.add("window", &Options::window, {ScopeKind::local_m, ScopeKind::local_p});
  scopes.add("max_distance", &Options::max_distance, {ScopeKind::position_bias});
}

void describe_axes(config::Schema<Options>& schema) {
  schema.choice("score", &Options::score,
                "How a query q is compared with the key k of a source position s:" +
                    enum_meanings<ScoreKind>());
  schema.choice("distribution", &Options::distribution,
                "How energies e become weights:" + enum_meanings<DistributionKind>());
  schema.choice("scope", &Options::scope,
                "Which source positions may get weight:" + enum_meanings<ScopeKind>());
  schema.integer(
      "heads", &Options::heads, config::in_range<int64_t>(1, 1024),
      "Number of heads, each with its own projections of query, keys and values (Vaswani et al. "
      "2017); a divisor of the encoder's output or a transformer decoder's width.");
  schema.flag("per_feature", &Options::per_feature,
              "One weight per position and feature of the values (Shen et al. 2018); for scores "
              "with a vector w.");
}

void describe_score(config::Schema<Options>& schema) {
  schema.integer(
      "size", &Options::size, config::in_range<int64_t>(0, kLargestSize),
      "Inner size of additive and similar scores, concat, kernel and local_p; 0: the query's size "
      "(the decoder's hidden size, or with heads the size of a head). Also the inner size of a "
      "coarse model.sources.coattention, where 0 means the encoder's size.");
  schema.flag("normalized", &Options::normalized,
              "additive: g w / ||w|| instead of w (weight normalisation).");
  schema.flag("learned_scale", &Options::learned_scale,
              "scaled_dot: a learned factor instead of 1 / sqrt(size).");
  schema.integer("max_source_length", &Options::max_source_length,
                 config::in_range<int64_t>(0, kLongestSource),
                 "location: number of source positions it can see; required, above 0.");
  schema.integer("layers", &Options::layers, config::in_range<int64_t>(1, 16),
                 "deep: tanh layers.");
  schema.integer("width", &Options::width, config::in_range<int64_t>(1, 1023),
                 "convolution, location_aware: filter width in positions, odd.");
  schema.integer("filters", &Options::filters, config::in_range<int64_t>(1, kLargestSize),
                 "location_aware: filters over the previous weights.");
  schema.number(
      "fertility", &Options::fertility, config::in_range(0.0, kLargestFertility),
      "coverage: upper limit of the learned number of target words that a source word yields, for "
      "example 2; 0: every word counts as 1.");
}

void describe_distribution(config::Schema<Options>& schema) {
  schema.number("temperature", &Options::temperature, config::in_range(kColdest, kHottest),
                "softmax, and hard in training: divides the energies.");
  schema.flag("sum_to_one", &Options::sum_to_one, "sigmoid: divide a row's weights by their sum.");
  schema.choice("estimator", &Options::estimator,
                "hard: how gradients pass the random draw: straight through a softmax with Gumbel "
                "noise (Jang et al. 2017), or with REINFORCE, which rewards a draw with the "
                "log-probability of the target words from its position on.");
  schema.number("reward_weight", &Options::reward_weight, config::in_range(0.0, kLargestFactor),
                "hard, reinforce: weight of the gradient from rewards.");
  schema.number(
      "entropy_bonus", &Options::entropy_bonus, config::in_range(0.0, kLargestFactor),
      "hard, reinforce: weight of the entropy of the distributions that positions are drawn from.");
  schema.flag("baseline", &Options::baseline,
              "hard, reinforce: subtract a moving average from rewards.");
  schema.number("baseline_decay", &Options::baseline_decay, config::in_range(0.0, 1.0),
                "hard, reinforce: share of the old average that each update keeps.");
}

void describe_scope(config::Schema<Options>& schema) {
  schema.integer("window", &Options::window, config::in_range<int64_t>(1, kLargestSize),
                 "local_m, local_p: positions to each side of the centre.");
  schema.integer("max_distance", &Options::max_distance, config::in_range<int64_t>(0, kLargestSize),
                 "position_bias: larger distances share the outermost bias.");
}

}  // namespace

bool reads_size(const AttentionOptions& options) {
  return options.scope == ScopeKind::local_p || has_inner_size(options.score);
}

void describe(config::Schema<AttentionOptions>& schema) {
  describe_axes(schema);
  describe_score(schema);
  describe_distribution(schema);
  describe_scope(schema);
  schema.rule({"score", "max_source_length"}, location_needs_a_maximum);
  schema.rule({"per_feature", "score"}, features_need_a_vector);
  schema.rule({"per_feature", "distribution"}, hard_takes_whole_positions);
  schema.rule({"width", "score"}, filters_have_a_middle);
  schema.rule({"normalized", "learned_scale", "fertility", "score"}, variants_need_their_score);
  schema.rule({"sum_to_one", "distribution"}, sum_needs_sigmoid);
  schema.rule({"fertility"}, fertility_must_show);
  describe_readers(schema);
}

}  // namespace attend::nn
