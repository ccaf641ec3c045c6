#pragma once
// The config keys that all option structs with recurrent layers have in common.
#include <fmt/format.h>

#include <string>

#include "config/schema.h"
#include "model/recurrent/options.h"

namespace attend::model {

/// Adds the keys of RecurrentLayers.
template <class Options>
void describe_layers(config::Schema<Options>& schema, const char* hidden_doc) {
  schema.choice("cell", &Options::cell,
                "Recurrent cell: gru, lstm; mingru, a GRU whose gates read only the input "
                "(Feng et al. 2024); or one with a memory that it reads and writes: a "
                "neural Turing machine, ntm (Graves et al. 2014), or a differentiable neural "
                "computer, dnc (Graves et al. 2016).");
  schema.section("memory", &Options::memory, "ntm, dnc: the cell's memory.");
  schema.integer("layers", &Options::layers, config::in_range<int64_t>(1, 64), "Stacked layers.");
  schema.integer("hidden", &Options::hidden, config::in_range<int64_t>(1, 65536), hidden_doc);
  schema.flag("residual", &Options::residual,
              "Add each layer's input to its output, from the second layer on.");
  schema.flag("layer_norm", &Options::layer_norm, "Layer normalisation inside the cells.");
  schema.rule({"memory", "cell"}, [](const Options& options) -> std::string {
    if (options.memory == nn::MemoryOptions() || nn::cell_has_memory(options.cell)) return "";
    return fmt::format(
        "{} has no memory, so this section would have no effect; leave it out, or choose cell: ntm "
        "or dnc",
        options.cell);
  });
  schema.rule({"memory.sharp_links", "cell"}, [](const Options& options) -> std::string {
    if (!options.memory.sharp_links || options.cell != nn::CellKind::ntm) return "";
    return "ntm does not store the order of its writes, so memory.sharp_links would have no "
           "effect; "
           "leave it out, or choose cell: dnc";
  });
}

/// Adds the keys of ReadingLayers.
template <class Options>
void describe_reading_layers(config::Schema<Options>& schema) {
  describe_layers(schema, "State size per direction.");
  schema.flag("bidirectional", &Options::bidirectional, "Read every layer in both directions.");
}

}  // namespace attend::model
