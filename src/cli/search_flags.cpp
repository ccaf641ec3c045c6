#include "cli/search_flags.h"

#include "core/closest_name.h"
#include "text/protect_options.h"

namespace attend::cli {

namespace {

constexpr const char* kSearch =
    "Search (defaults: the model's decoding section), sampling, minimum risk";

app::LongLines parse_long_lines(const std::string& name) {
  return name == "skip" ? app::LongLines::kSkip : app::LongLines::kTruncate;
}

/// Adds --batch-size, which it returns, and --batch-unit, which the help leaves out. `meaning`
/// explains both.
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
      "Batch N pairs (default: the config's); --batch-unit tokens: N tokens of the longer side");
}

void add_search_options(CLI::App& command, app::SearchOverrides& overrides) {
  command.add_option("--beam", overrides.beam, "Keep N hypotheses per sentence; 1: greedy search")
      ->type_name("N")
      ->group(kSearch);
  command
      .add_option("--length-penalty", overrides.length_penalty,
                  "Divide log-probabilities by length^A; 0: no normalisation")
      ->type_name("A")
      ->group(kSearch);
  command
      .add_option("--coverage-penalty", overrides.coverage_penalty,
                  "Penalise source words that received no attention, with weight B")
      ->type_name("B")
      ->group(kSearch);
  command
      .add_option("--max-length-ratio", overrides.max_length_ratio,
                  "Limit output to 10 pieces more than R * source pieces, or than the prefix if "
                  "it is longer")
      ->type_name("R")
      ->group(kSearch);
  command
      .add_option("--no-repeat-ngram-size", overrides.no_repeat_ngram_size,
                  "Never repeat N pieces within a translation; 0: no limit")
      ->type_name("N")
      ->group(kSearch);
  add_batch_options(
      command, overrides.batch,
      "Batch N sentences (fewer if over 128 pieces); --batch-unit tokens: N source tokens")
      ->group(kSearch);
  add_choice(command, "--precision", overrides.precision,
             "Compute matrix products in f32, bf16 or int8")
      ->type_name("P")
      ->group(kSearch);
  command
      .add_option("--shortlist", overrides.shortlist,
                  "Score only likely pieces, with a table from attend lexicon: FILE [FIRST BEST]")
      ->expected(1, 3)
      ->type_name("F")
      ->group(kSearch);
  add_choice(command, "--kernels", overrides.kernels,
             "Use fused kernels, or plain LibTorch operations in f32")
      ->group(kNotInHelp);
  command
      .add_option_function<std::string>(
          "--long-lines",
          [&overrides](const std::string& name) { overrides.long_lines = parse_long_lines(name); },
          "Truncate (default) or skip lines over data.max_length: truncate, skip")
      ->check(one_of({"truncate", "skip"}))
      ->type_name("W")
      ->group(kSearch);
  command
      .add_option("--protect", overrides.protect,
                  "Keep what is not translated (A,B): " + join(enum_names<text::ProtectedKind>()) +
                      ", none (default: as data.protect)")
      ->type_name("K")
      ->group(kNotInHelp);
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
  auto* sample = command.add_flag("--sample", flags.sample,
                                  "Draw --n-best outputs at random instead of searching");
  sample->group(kSearch);
  const auto add = [&](const char* name, auto& value, const char* meaning, const char* type) {
    // option_text() hides that these options need --sample; the error says so.
    return command.add_option(name, value, meaning)
        ->needs(sample)
        ->option_text(type)
        ->group(kSearch);
  };
  add("--temperature", flags.options.temperature,
      "Divide logits by T; below 1: closer to the most probable (default 1)", "T");
  add("--top-k", flags.options.top_k,
      "Draw from the K most probable pieces (default: all); --top-p P: from the fewest of total "
      "probability P",
      "K");
  add("--top-p", flags.options.top_p,
      "Draw from the fewest pieces of total probability P (default 1)", "P")
      ->group(kNotInHelp);
}

void add_risk_options(CLI::App& command, RiskFlags& flags) {
  auto* risk = command.add_option("--mbr", flags.utility,
                                  "Choose the candidate most like all others, by chrf or bleu; "
                                  "--mbr-candidates N: of N; --mbr-weights model: by probability");
  risk->expected(0, 1)
      ->default_str("chrf")
      ->check(one_of(app::utility_names()))
      ->type_name("U")
      ->group(kSearch);
  command
      .add_option("--mbr-candidates", flags.candidates,
                  "Compare N candidates (default: --beam, or 100 with --sample)")
      ->needs(risk)
      ->check(at_least(1))
      ->option_text("N")
      ->group(kNotInHelp);
  command
      .add_option("--mbr-weights", flags.weights,
                  "Weigh candidates equally (equal, default) or by probability (model)")
      ->needs(risk)
      ->check(one_of(app::candidate_weight_names()))
      ->option_text("W")
      ->group(kNotInHelp);
}

}  // namespace attend::cli
