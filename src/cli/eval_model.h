#pragma once
#include <string>
#include <vector>

#include "cli/eval_report.h"
#include "cli/loaded_model.h"
#include "cli/search_flags.h"

namespace attend::cli {

/// Translates a file with a model, or with an ensemble of several.
[[nodiscard]] std::vector<std::string> translate_source(const std::vector<LoadedModel>& models,
                                                        const std::string& source,
                                                        const SearchFlags& flags);

/// The model's loss on the references, in nats per piece, end symbols included, and the perplexity
/// that it amounts to. Throws DataError unless all files have as many lines.
[[nodiscard]] std::vector<EvalEntry> loss_entries(const LoadedModel& model,
                                                  const std::string& source,
                                                  const std::vector<std::string>& references,
                                                  const SearchFlags& flags);

}  // namespace attend::cli
