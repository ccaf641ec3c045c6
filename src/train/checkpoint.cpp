#include "train/checkpoint.h"

#include <torch/utils.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "model/weights_file.h"

namespace attend::train {
namespace {

constexpr auto kStateKey = "state";
constexpr auto kLayoutKey = "layout";

RunState parse_state(const std::filesystem::path& path, const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<RunState>();
  } catch (const nlohmann::json::exception& error) {
    throw ModelFileError(path, std::string("the counters cannot be read: ") + error.what());
  }
}

void copy_tensors(const std::filesystem::path& path, const StateTensors& saved,
                  const StateTensors& tensors) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : tensors) {
    const auto found = saved.find(name);
    if (found == saved.end() || found->second.sizes() != tensor.sizes()) {
      throw ModelFileError(path, "it has no " + name +
                                     " that fits; resume with the optimizer, ema and model "
                                     "settings that the run was started with");
    }
    tensor.copy_(found->second);
  }
}

}  // namespace

void save_state(const std::filesystem::path& path, const RunState& state,
                const StateTensors& tensors, const FlatParameters& parameters) {
  model::save_tensors(
      path,
      {tensors, {{kStateKey, nlohmann::json(state).dump()}, {kLayoutKey, parameters.layout()}}});
}

RunState load_state(const std::filesystem::path& path, const StateTensors& tensors,
                    const FlatParameters& parameters) {
  model::TensorFile file = model::load_tensors(path);
  if (file.metadata[kLayoutKey] != parameters.layout()) {
    throw ModelFileError(path,
                         "it belongs to a model of another shape; resume with the config and "
                         "vocabulary that the run was started with");
  }
  RunState state = parse_state(path, file.metadata[kStateKey]);
  copy_tensors(path, file.tensors, tensors);
  return state;
}

}  // namespace attend::train
