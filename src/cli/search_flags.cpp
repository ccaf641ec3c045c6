#include "cli/search_flags.h"

namespace attend::cli {

namespace {

constexpr const char* kSearch = "Search (defaults: the config's decoding section), sampling, risk";

app::LongLines parse_long_lines(const std::string& name) {
  return name == "skip" ? app::LongLines::kSkip : app::LongLines::kTruncate;
}

/// --batch-size, which it returns, and --batch-unit, which has no line of its own in the help: the
/// `meaning` of the first names it.
CLI::Option* add_batch_options(CLI::App& command, app::BatchOverrides& overrides,
                               const std::string& meaning) {
  auto* size = command.add_option("--batch-size", overrides.size, meaning);
  add_choice(command, "--batch-unit", overrides.unit, "Unit of --batch-size")->group(kNotInHelp);
  return size->type_name("N");
}

}  // namespace

void add_pair_batch_options(CLI::App& command, app::BatchOverrides& overrides) {
  add_batch_options(
      command, overrides,
      "Pairs at once (default: the config's); --batch-unit tokens: tokens of the longer side");
}

void add_search_options(CLI::App& command, app::SearchOverrides& overrides) {
  command.add_option("--beam", overrides.beam, "Hypotheses per sentence; 1 is greedy")
      ->type_name("N")
      ->group(kSearch);
  command.add_option("--length-penalty", overrides.length_penalty, "Divide scores by length^A")
      ->type_name("A")
      ->group(kSearch);
  command
      .add_option("--coverage-penalty", overrides.coverage_penalty,
                  "Punish source words without attention")
      ->type_name("B")
      ->group(kSearch);
  command
      .add_option("--max-length-ratio", overrides.max_length_ratio,
                  "Longest output: R * source pieces, or the prefix, + 10")
      ->type_name("R")
      ->group(kSearch);
  command
      .add_option("--no-repeat-ngram-size", overrides.no_repeat_ngram_size,
                  "No run of N pieces twice in a translation; 0: any")
      ->type_name("N")
      ->group(kSearch);
  add_batch_options(
      command, overrides.batch,
      "Sentences at once, fewer of over 128 pieces; --batch-unit tokens: source tokens")
      ->group(kSearch);
  add_choice(command, "--precision", overrides.precision,
             "Operands of matrix products: f32, bf16 or int8")
      ->type_name("P")
      ->group(kSearch);
  command
      .add_option("--shortlist", overrides.shortlist,
                  "Score only likely pieces, by a table of attend lexicon: FILE [FIRST BEST]")
      ->expected(1, 3)
      ->type_name("F")
      ->group(kSearch);
  add_choice(command, "--kernels", overrides.kernels, "fused, or plain: LibTorch operations, f32")
      ->group(kNotInHelp);
  command
      .add_option_function<std::string>(
          "--long-lines",
          [&overrides](const std::string& name) { overrides.long_lines = parse_long_lines(name); },
          "Lines over data.max_length: truncate (default) or skip")
      ->check(one_of({"truncate", "skip"}))
      ->type_name("W")
      ->group(kSearch);
}

std::vector<std::string> search_option_names() {
  CLI::App command;
  command.set_help_flag();
  app::SearchOverrides overrides;
  add_search_options(command, overrides);
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
  return names;
}

void add_sample_options(CLI::App& command, SampleFlags& flags) {
  auto* sample = command.add_flag("--sample", flags.sample, "Draw --n-best outputs, no search");
  sample->group(kSearch);
  const auto add = [&](const char* name, auto& value, const char* meaning, const char* type) {
    // option_text(): what an option needs is said when it is missing.
    command.add_option(name, value, meaning)->needs(sample)->option_text(type)->group(kSearch);
  };
  add("--temperature", flags.options.temperature, "Below 1: closer to the most probable", "T");
  add("--top-k", flags.options.top_k, "Only the K most probable pieces", "K");
  add("--top-p", flags.options.top_p, "Only the fewest pieces that hold this probability", "P");
}

void add_risk_options(CLI::App& command, RiskFlags& flags) {
  auto* risk = command.add_option("--mbr", flags.utility,
                                  "Of several candidates the one most like all: chrf or bleu");
  risk->expected(0, 1)
      ->default_str("chrf")
      ->check(one_of(app::utility_names()))
      ->type_name("U")
      ->group(kSearch);
  command
      .add_option(
          "--mbr-candidates", flags.candidates,
          "How many (default: the beam; with --sample 100); --mbr-weights model: by probability")
      ->needs(risk)
      ->check(at_least(1))
      ->option_text("N")
      ->group(kSearch);
  command
      .add_option("--mbr-weights", flags.weights,
                  "As references: equal (default), or model: by probability")
      ->needs(risk)
      ->check(one_of(app::candidate_weight_names()))
      ->option_text("W")
      ->group(kNotInHelp);
}

}  // namespace attend::cli
