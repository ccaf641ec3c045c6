#include "cli/align_flags.h"

#include <fmt/format.h>

#include "align/error_rate.h"
#include "align/symmetrize.h"
#include "app/align/alignment_method.h"
#include "app/attention/heatmap_format.h"
#include "cli/search_flags.h"
#include "core/closest_name.h"

namespace attend::cli {

namespace {

void add_pair_options(CLI::App& command, AlignCommand& options) {
  command.add_option("--model", options.model, "Model folder")->type_name("DIR");
  command.add_option("--source", options.files.source, "Source sentences")->type_name("FILE");
  command.add_option("--target", options.files.target, "Translations, one per source line")
      ->type_name("FILE");
  command.add_option("--output", options.output, "Write links here (default -: standard output)")
      ->type_name("FILE");
  command
      .add_option("--format", options.format,
                  "Write pharaoh links i-j (default), or jsonl with all weights")
      ->check(one_of({"pharaoh", "jsonl"}))
      ->type_name("F");
  command.add_option("--level", options.level, "Align words (default) or pieces: word, piece")
      ->check(one_of(align::level_names()))
      ->type_name("L");
  add_pair_batch_options(command, options.batch);
}

std::vector<std::string> method_choices() {
  auto names = app::alignment_method_names();
  names.insert(names.end(), {kStatistical, kVote});
  return names;
}

void add_reading_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option(
          "--method", options.method,
          "Align by attention (default), posterior (more accurate, slower), saliency "
          "(gradients; any model), contributions or alti (Transformers), or without a model "
          "by statistical (learns from the pairs) or vote (joins --votes)")
      ->check(one_of(method_choices()))
      ->type_name("M");
  command
      .add_option("--saliency-samples", options.saliency_samples,
                  "Average saliency over N noisy copies (default 0: no noise)")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("N");
  command
      .add_option("--threshold", options.threshold,
                  "Link all source words of weight P or more (default: only the largest)")
      ->check(between(0.0, 1.0))
      ->type_name("P");
  command
      .add_option("--shift", options.shift,
                  "Read a word's attention N steps later, 0 or 1 (default: by the model's config)")
      ->check(CLI::Range(0, 1).description(""))
      ->type_name("N");
}

/// Accepts "mean", "best" and numbers >= 1.
CLI::Validator a_head() {
  const auto check = [](const std::string& head) -> std::string {
    const bool is_number = !head.empty() && head.size() < 7 && head.front() != '0' &&
                           head.find_first_not_of("0123456789") == std::string::npos;
    if (is_number || head == kMean || head == kBest) return "";
    return fmt::format("unknown head \"{}\"; expected a number from 1, {} or {}", head, kMean,
                       kBest);
  };
  return {check, "", "head"};
}

void add_map_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--layer", options.layer,
                  "Read the attention of layer N, from 1 (default: by the model's config)")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N");
  command
      .add_option("--head", options.head,
                  "Read head N (from 1), mean, or best: the layer, head and shift with the lowest "
                  "AER against --gold")
      ->check(a_head())
      ->type_name("N");
  command
      .add_option("--attention-kinds", options.kinds,
                  "Add all layers and heads of these kinds (A,B): encoder, decoder, cross, "
                  "encoder_memory, decoder_memory or all")
      ->type_name("K");
}

void add_statistical_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--stem", options.stems,
                  "Statistical: cut words to N letters, 0: whole words; averages several (default "
                  "0,5,4)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, 100).description(""))
      ->type_name("N,...");
  command
      .add_option("--samplers", options.samplers,
                  "Statistical: average N samplers per direction and stem (default 1)")
      ->check(CLI::Range(1, 100).description(""))
      ->type_name("N");
  command
      .add_option("--priors", options.priors,
                  "Statistical: start from the link counts of other text")
      ->type_name("FILE");
  command
      .add_option("--save-priors", options.save_priors,
                  "Statistical: write the link counts of this text, for --priors")
      ->type_name("FILE");
  command
      .add_option("--votes", options.votes,
                  "Vote: files of Pharaoh links or --format jsonl weights of the same pairs")
      ->type_name("FILE...");
}

std::vector<std::string> symmetrize_choices() {
  auto names = align::symmetrization_names();
  names.emplace_back(kMutual);
  return names;
}

void add_symmetrize_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--reverse-model", options.reverse_model,
                  "Target-to-source model, to join the links of both directions")
      ->type_name("DIR");
  command
      .add_option("--symmetrize", options.symmetrize,
                  fmt::format("Join both directions by {}", join(symmetrize_choices())))
      ->check(one_of(symmetrize_choices()))
      ->type_name("S");
}

void add_gold_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--gold", options.gold, "Report AER against these links: i-j sure, ipj possible")
      ->type_name("FILE");
  command
      .add_option("--judge", options.judge,
                  "Count all links (default), or covered: links between words that have gold "
                  "links")
      ->check(one_of(align::judge_names()))
      ->type_name("J");
  command
      .add_option("--links", options.links,
                  "Compare these Pharaoh links with --gold, without a model")
      ->type_name("FILE");
}

void add_heatmap_options(CLI::App& command, AlignCommand& options) {
  command
      .add_option("--heatmaps", options.heatmaps, "Draw a heatmap of each pair into this folder")
      ->type_name("DIR");
  command
      .add_option("--heatmap-format", options.heatmap_format,
                  "Draw svg (default), png, pdf, or html: index.html with all pairs")
      ->check(one_of(app::heatmap_format_names()))
      ->type_name("F");
  command
      .add_option("--compare-model", options.compared_model,
                  "Show a second model next to the first on the HTML page")
      ->type_name("DIR");
}

}  // namespace

void add_align_options(CLI::App& command, AlignCommand& options) {
  add_pair_options(command, options);
  add_reading_options(command, options);
  add_statistical_options(command, options);
  add_map_options(command, options);
  add_symmetrize_options(command, options);
  add_gold_options(command, options);
  add_heatmap_options(command, options);
  add_common_options(command, options.common);
}

}  // namespace attend::cli
