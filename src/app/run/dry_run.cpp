#include "app/run/dry_run.h"

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/model/inspection.h"
#include "core/closest_name.h"
#include "data/epoch_order.h"
#include "storage/weights_file.h"

namespace attend::app {
namespace {

constexpr int64_t kShownPairs = 3;
constexpr std::size_t kShownPieces = 40;  // of a side

std::string side_line(const std::string& side, const std::vector<text::TokenId>& ids,
                      const text::Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < std::min(ids.size(), kShownPieces); ++i)
    pieces.push_back(tokenizer.piece(ids[i]));
  const bool cut = ids.size() > kShownPieces;
  return fmt::format("    {:<10} {}{}\n", side, join(pieces, " "),
                     cut ? fmt::format(" ... ({} pieces)", ids.size()) : "");
}

/// The first pairs in pieces, as the model reads them.
std::string first_pairs(const data::ParallelCorpus& corpus, const data::TokenizerPair& tokenizers) {
  std::string text = "first pairs of the training text, in pieces\n";
  for (int64_t pair = 0; pair < std::min(corpus.plain_size(), kShownPairs); ++pair) {
    text += fmt::format("  line {}\n", corpus.line(pair));
    for (std::size_t i = 0; i < corpus.sources(); ++i) {
      const std::string side = corpus.sources() == 1 ? "source" : fmt::format("source {}", i + 1);
      text += side_line(side, corpus.source(pair, i), tokenizers.source);
    }
    text += side_line("target", corpus.target(pair), tokenizers.target);
  }
  return text;
}

std::string shape_line(const char* name, const torch::Tensor& tensor) {
  if (!tensor.defined()) return "";
  return fmt::format("  {:<24} [{}]\n", name, fmt::join(tensor.sizes(), ", "));
}

std::string shapes(const model::Seq2Seq& model, const data::Batch& batch) {
  const c10::InferenceMode no_gradients;
  const model::Encoded encoded = model.encode(batch.reading());
  const model::Decoded decoded = model.decode(encoded, batch.target_input);
  std::string text = "\nshapes of the first batch\n";
  text += shape_line("source pieces", batch.reading().ids);
  for (const nn::PreparedMemory& memory : encoded.memories) {
    text += shape_line("encoder output", memory.memory.keys);
    text += shape_line("keys for the score", memory.keys);
    text += shape_line("values by head", memory.values);
  }
  const std::vector<torch::Tensor> start = encoded.start.tensors();  // empty for Transformers
  if (!start.empty()) text += shape_line("first decoder state", start.front());
  text += shape_line("target pieces", batch.target_input.ids);
  text += shape_line("attention", decoded.weights);
  text += shape_line("attention by head", decoded.heads);
  text += shape_line("decoder output", decoded.outputs);
  return text + shape_line("scores of a step", model.logits(decoded.outputs.select(1, 0)));
}

}  // namespace

std::string dry_run_report(const Experiment& experiment, const data::ParallelCorpus& corpus,
                           const data::TokenizerPair& tokenizers, model::Seq2Seq& model) {
  model.eval();
  const data::EpochPlan plan =
      data::EpochOrder(corpus, experiment.training.batch, static_cast<uint64_t>(experiment.seed), 0)
          .plan(0);
  const data::Batch batch = data::make_batch(corpus, plan.batch(0)).to(model.device());
  return first_pairs(corpus, tokenizers) + shapes(model, batch) +
         parameter_table(storage::weights_of(model));
}

}  // namespace attend::app
