#include "tests/nn/attention/attention_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace attend::test {
namespace {

using Cases = std::vector<AttentionCase>;

/// Small sizes that all differ, and a window narrower than the suite's sentences.
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
  for (const std::string& name : nn::score_names()) {
    cases.push_back({"score_" + name, small(), true});
    cases.back().options.score = name;
  }
  for (const std::string& name : nn::distribution_names()) {
    cases.push_back({"distribution_" + name, small(), true});
    cases.back().options.distribution = name;
  }
  for (const std::string& name : nn::scope_names()) {
    cases.push_back({"scope_" + name, small(), true});
    cases.back().options.score = "general";
    cases.back().options.scope = name;
  }
}

void add_variants(Cases& cases) {
  const auto add = [&](const std::string& name, auto change) {
    cases.push_back({"variant_" + name, small(), true});
    change(cases.back().options);
  };
  add("normalized", [](auto& options) { options.normalized = true; });
  add("learned_scale", [](auto& options) {
    options.score = "scaled_dot";
    options.learned_scale = true;
  });
  add("short_location", [](auto& options) {
    options.score = "location";
    options.max_source_length = 4;
  });
  add("fertility", [](auto& options) {
    options.score = "coverage";
    options.fertility = 2.0;
  });
  add("sum_to_one", [](auto& options) {
    options.distribution = "sigmoid";
    options.sum_to_one = true;
  });
  add("gumbel", [](auto& options) {
    options.distribution = "hard";
    options.estimator = "gumbel";
  });
  // A window wider than a sentence of 5 and narrower than one of 8.
  add("wide_window", [](auto& options) {
    options.scope = "local_p";
    options.window = 3;
  });
}

void add_multiplicities(Cases& cases) {
  for (const std::string& name : nn::score_names()) {
    cases.push_back({"heads_" + name, small()});
    cases.back().options.score = name;
    cases.back().options.heads = 2;
  }
  for (const std::string& name : nn::per_feature_score_names()) {
    cases.push_back({"features_" + name, small()});
    cases.back().options.score = name;
    cases.back().options.per_feature = true;
    cases.back().options.normalized = name == "additive";
  }
}

void add_products(Cases& cases) {
  const auto scores = nn::score_names(), distributions = nn::distribution_names(),
             scopes = nn::scope_names();
  for (std::size_t i = 0; i < 3 * scores.size(); ++i) {
    nn::AttentionOptions options = small();
    options.score = scores[i % scores.size()];
    options.distribution = distributions[i % distributions.size()];
    options.scope = scopes[(i / scores.size() + i) % scopes.size()];
    options.heads = i % 3 == 0 ? 3 : 1;
    const auto able = nn::per_feature_score_names();
    options.per_feature = i % 4 == 1 && options.distribution != "hard" &&
                          std::find(able.begin(), able.end(), options.score) != able.end();
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
