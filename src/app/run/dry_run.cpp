#include "app/run/dry_run.h"

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/model/inspection.h"
#include "config/print.h"
#include "data/epoch_order.h"
#include "storage/weights_file.h"

namespace attend::app {
namespace {

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
                           model::Seq2Seq& model) {
  model.eval();
  const data::EpochPlan plan =
      data::EpochOrder(corpus, experiment.training.batch, static_cast<uint64_t>(experiment.seed), 0)
          .plan(0);
  const data::Batch batch = data::make_batch(corpus, plan.batch(0)).to(model.device());
  return config::to_yaml(experiment) + shapes(model, batch) +
         parameter_table(storage::weights_of(model));
}

}  // namespace attend::app
