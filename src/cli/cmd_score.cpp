#include "cli/cmd_score.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "cli/length_batches.h"
#include "cli/loaded_model.h"
#include "cli/runtime.h"
#include "core/error.h"
#include "core/file.h"
#include "core/signal.h"
#include "data/pair_reader.h"
#include "decode/forced.h"

namespace attend::cli {

namespace {

struct ScoreCommand {
  CommonOptions common;
  std::string model;
  data::PairFiles files;
  std::string output = "-";
  std::optional<int64_t> batch_size;
};

/// Pairs as the model reads them.
struct TokenPairs {
  std::vector<std::vector<text::TokenId>> sources;  // kEos at the end
  std::vector<std::vector<text::TokenId>> targets;
};

TokenPairs read_window(data::PairReader& reader, const LoadedModel& model, int64_t most) {
  TokenPairs pairs;
  while (static_cast<int64_t>(pairs.sources.size()) < most) {
    const auto pair = reader.next();
    if (!pair) break;
    pairs.sources.push_back(model.source->encode(pair->source));
    pairs.sources.back().push_back(text::kEos);
    pairs.targets.push_back(model.target->encode(pair->target));
  }
  return pairs;
}

std::vector<double> score_window(const TokenPairs& pairs, const LoadedModel& model,
                                 int64_t batch_size) {
  std::vector<std::size_t> lengths;
  for (const auto& target : pairs.targets) lengths.push_back(target.size());
  std::vector<double> scores(lengths.size());
  for (const auto& batch : length_batches(lengths, batch_size)) {
    if (const int signal = requested_stop(); signal != 0) throw Stopped(signal, "stopped");
    TokenPairs part;
    for (const auto i : batch) {
      part.sources.push_back(pairs.sources[i]);
      part.targets.push_back(pairs.targets[i]);
    }
    const auto forced = decode::force_decode(*model.model, data::pad(part.sources), part.targets,
                                             /*keep_attention=*/false);
    for (std::size_t i = 0; i < batch.size(); ++i) scores[batch[i]] = forced[i].log_prob();
  }
  return scores;
}

int64_t checked_batch_size(const ScoreCommand& command, const LoadedModel& model) {
  decode::SearchOptions options;
  options.decoding.batch_size = command.batch_size.value_or(model.experiment.decoding.batch_size);
  decode::validate(options);
  return options.decoding.batch_size;
}

void run_score(const ScoreCommand& command) {
  const nn::Runtime runtime = start_runtime(command.common);
  const auto model = load_model(command.model, runtime.device);
  const auto batch_size = checked_batch_size(command, model);
  data::PairReader reader(command.files);
  OutputFile output(command.output);
  while (true) {
    const auto pairs = read_window(reader, model, batch_size * kWindowBatches);
    if (pairs.sources.empty()) break;
    for (const double score : score_window(pairs, model, batch_size)) {
      output.write_line(fmt::format("{:.6f}", score));
    }
    output.flush();
  }
  reader.warn_about_repairs();
  output.commit();
}

}  // namespace

void add_score(CLI::App& command) {
  const auto options = std::make_shared<ScoreCommand>();
  command.add_option("--model", options->model, "Model directory")->required()->type_name("DIR");
  command.add_option("--source", options->files.source, "Sentences")->required()->type_name("FILE");
  command.add_option("--target", options->files.target, "Their translations, line by line")
      ->required()
      ->type_name("FILE");
  command.add_option("--output", options->output, "Scores (default -: standard output)")
      ->type_name("FILE");
  command.add_option("--batch-size", options->batch_size, "Pairs at once (default: the config's)")
      ->type_name("N");
  add_common_options(command, options->common);
  command.footer(
      "Prints the natural logarithm of p(target | source) of each pair: the sum over the target's\n"
      "pieces and its end symbol.\n\n"
      "Example:\n"
      "  attend score --model runs/quickstart --source data/quickstart/test.en "
      "--target data/quickstart/test.de");
  command.callback([options] { run_score(*options); });
}

}  // namespace attend::cli
