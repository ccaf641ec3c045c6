#include "tests/nn/attention/attention_cases.h"

#include <fmt/format.h>

#include <ostream>

namespace attend::test {
namespace {

using Cases = std::vector<AttentionCase>;

/// Small sizes, all different, and a window narrower than the sentences of the suite.
nn::AttentionOptions small() {
  nn::AttentionOptions options;
  options.size = 7;
  options.max_source_length = 9;
  options.filters = 2;
  options.temperature = 1.5;
  options.window = 1;
  options.max_distance = 2;
  return options;
}

void add_blocks(Cases& cases) {
  for (const auto score : enum_values<nn::ScoreKind>()) {
    cases.push_back({fmt::format("score_{}", score), small(), true});
    cases.back().options.score = score;
  }
  for (const auto distribution : enum_values<nn::DistributionKind>()) {
    cases.push_back({fmt::format("distribution_{}", distribution), small(), true});
    cases.back().options.distribution = distribution;
  }
  for (const auto scope : enum_values<nn::ScopeKind>()) {
    cases.push_back({fmt::format("scope_{}", scope), small(), true});
    cases.back().options.score = nn::ScoreKind::general;
    cases.back().options.scope = scope;
  }
}

void add_variants(Cases& cases) {
  const auto add = [&](const std::string& name, auto change) {
    cases.push_back({"variant_" + name, small(), true});
    change(cases.back().options);
  };
  add("normalized", [](auto& options) { options.normalized = true; });
  add("learned_scale", [](auto& options) {
    options.score = nn::ScoreKind::scaled_dot;
    options.learned_scale = true;
  });
  add("short_location", [](auto& options) {
    options.score = nn::ScoreKind::location;
    options.max_source_length = 4;
  });
  add("fertility", [](auto& options) {
    options.score = nn::ScoreKind::coverage;
    options.fertility = 2.0;
  });
  add("sum_to_one", [](auto& options) {
    options.distribution = nn::DistributionKind::sigmoid;
    options.sum_to_one = true;
  });
  add("gumbel", [](auto& options) {
    options.distribution = nn::DistributionKind::hard;
    options.estimator = nn::Estimator::gumbel;
  });
  // The window is wider than a sentence of 5 words and narrower than one of 8.
  add("wide_window", [](auto& options) {
    options.scope = nn::ScopeKind::local_p;
    options.window = 3;
  });
}

void add_multiplicities(Cases& cases) {
  for (const auto score : enum_values<nn::ScoreKind>()) {
    cases.push_back({fmt::format("heads_{}", score), small()});
    cases.back().options.score = score;
    cases.back().options.heads = 2;
  }
  for (const auto score : enum_values<nn::ScoreKind>()) {
    if (!nn::has_vector(score)) continue;
    cases.push_back({fmt::format("features_{}", score), small()});
    cases.back().options.score = score;
    cases.back().options.per_feature = true;
    cases.back().options.normalized = score == nn::ScoreKind::additive;
  }
}

void add_products(Cases& cases) {
  const auto scores = enum_values<nn::ScoreKind>();
  const auto distributions = enum_values<nn::DistributionKind>();
  const auto scopes = enum_values<nn::ScopeKind>();
  for (std::size_t i = 0; i < 3 * scores.size(); ++i) {
    nn::AttentionOptions options = small();
    options.score = scores[i % scores.size()];
    options.distribution = distributions[i % distributions.size()];
    options.scope = scopes[(i / scores.size() + i) % scopes.size()];
    options.heads = i % 3 == 0 ? 3 : 1;
    options.per_feature = i % 4 == 1 && options.distribution != nn::DistributionKind::hard &&
                          nn::has_vector(options.score);
    const std::string name =
        fmt::format("product{}_{}_{}_{}{}{}", i, options.score, options.distribution, options.scope,
                    options.heads > 1 ? "_heads" : "", options.per_feature ? "_features" : "");
    cases.push_back({name, options});
  }
}

}  // namespace

void PrintTo(const AttentionCase& attention_case, std::ostream* out) {
  *out << attention_case.name;
}

std::vector<AttentionCase> attention_cases() {
  Cases cases;
  add_blocks(cases);
  add_variants(cases);
  add_multiplicities(cases);
  add_products(cases);
  return cases;
}

}  // namespace attend::test
