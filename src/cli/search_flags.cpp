#include "cli/search_flags.h"

namespace attend::cli {

namespace {

constexpr const char* kSearch = "Search (defaults: the config's decoding section)";
constexpr const char* kSampling = "Sampling";
constexpr const char* kNotInHelp = "";  // for comparisons; decoding.kernels is in the reference

}  // namespace

void add_search_options(CLI::App& command, SearchFlags& flags) {
  command.add_option("--beam", flags.beam, "Hypotheses per sentence; 1 is greedy")
      ->type_name("N")
      ->group(kSearch);
  command.add_option("--length-penalty", flags.length_penalty, "Divide scores by length^A")
      ->type_name("A")
      ->group(kSearch);
  command
      .add_option("--coverage-penalty", flags.coverage_penalty,
                  "Punish source words without attention")
      ->type_name("B")
      ->group(kSearch);
  command
      .add_option("--max-length-ratio", flags.max_length_ratio,
                  "Longest output: R * source pieces + 10")
      ->type_name("R")
      ->group(kSearch);
  command.add_option("--batch-size", flags.batch_size, "Sentences at once")
      ->type_name("N")
      ->group(kSearch);
  command
      .add_option("--precision", flags.precision, "Operands of matrix products: f32, bf16 or int8")
      ->check(one_of(decode::precision_names()))
      ->type_name("P")
      ->group(kSearch);
  command.add_option("--kernels", flags.kernels, "fused, or plain: LibTorch operations, f32")
      ->check(one_of({"fused", "plain"}))
      ->group(kNotInHelp);
  command
      .add_option("--long-lines", flags.long_lines,
                  "Lines over data.max_length: truncate (default) or skip")
      ->check(one_of({"truncate", "skip"}))
      ->type_name("W")
      ->group(kSearch);
}

void add_sample_options(CLI::App& command, SampleFlags& flags) {
  auto* sample = command.add_flag("--sample", flags.sample, "Draw --n-best outputs, no search");
  sample->group(kSampling);
  const auto add = [&](const char* name, auto& value, const char* meaning, const char* type) {
    command.add_option(name, value, meaning)->needs(sample)->type_name(type)->group(kSampling);
  };
  add("--temperature", flags.options.temperature, "Below 1: closer to the most probable", "T");
  add("--top-k", flags.options.top_k, "Only the K most probable pieces", "K");
  add("--top-p", flags.options.top_p, "Only the fewest pieces that hold this probability", "P");
}

decode::DecodingOptions decoding_options(const SearchFlags& flags, const LoadedModel& model) {
  auto options = model.experiment.decoding;
  options.beam = flags.beam.value_or(options.beam);
  options.length_penalty = flags.length_penalty.value_or(options.length_penalty);
  options.coverage_penalty = flags.coverage_penalty.value_or(options.coverage_penalty);
  options.max_length_ratio = flags.max_length_ratio.value_or(options.max_length_ratio);
  options.batch_size = flags.batch_size.value_or(options.batch_size);
  options.precision = flags.precision.value_or(options.precision);
  options.kernels = flags.kernels.value_or(options.kernels);
  if (options.coverage_penalty > 0.0) require_attention(model, "the coverage penalty");
  return options;
}

LongLines parse_long_lines(const std::string& name) {
  return name == "skip" ? LongLines::kSkip : LongLines::kTruncate;
}

}  // namespace attend::cli
