#include "nn/attention/options.h"

#include "nn/attention/registry.h"

namespace attend::nn {

void describe(config::Schema<AttentionOptions>& schema) {
  using Options = AttentionOptions;
  schema.choice("score", &Options::score, score_names(), "How a query is compared with the keys.");
  schema.choice("distribution", &Options::distribution, distribution_names(),
                "How energies become weights.");
  schema.choice("scope", &Options::scope, scope_names(), "Which source positions may get weight.");
  schema.integer("heads", &Options::heads, config::in_range<int64_t>(1, 1),
                 "Attentions on projections of their own, side by side.");
  schema.integer("size", &Options::size, config::at_least<int64_t>(0),
                 "Inner size of additive and concat; 0: the decoder's hidden size.");
  schema.flag("normalized", &Options::normalized,
              "additive: g w / ||w|| instead of w (weight normalisation).");
  schema.flag("learned_scale", &Options::learned_scale,
              "scaled_dot: a learned factor instead of 1 / sqrt(size).");
  schema.integer("max_source_length", &Options::max_source_length, config::at_least<int64_t>(0),
                 "location: how many source positions it can see; it needs a value above 0.");
  schema.number("temperature", &Options::temperature, config::above(0.0),
                "softmax: divides the energies.");
  schema.rule({"score", "max_source_length"}, [](const Options& options) -> std::string {
    if (options.score != "location" || options.max_source_length > 0) return "";
    return "location has one weight row per source position, so it must know how many there are: "
           "set max_source_length, for example to data.max_length + 1";
  });
}

}  // namespace attend::nn
