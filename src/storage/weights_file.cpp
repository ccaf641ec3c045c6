#include "storage/weights_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/nn/module.h>
#include <torch/utils.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/replacement_file.h"
#include "storage/tensor_format.h"

namespace attend::storage {
namespace {

namespace format = tensor_format;
using nlohmann::json;
using std::filesystem::path;

constexpr std::size_t kMostProblemsNamed = 5;

struct NamedTensor {
  std::string name;
  torch::Tensor tensor;
};

/// Makes the tensors contiguous on the CPU and orders them so that each starts at a multiple of its
/// element size.
std::vector<NamedTensor> in_file_order(const std::map<std::string, torch::Tensor>& tensors) {
  std::vector<NamedTensor> ordered;
  for (const auto& [name, tensor] : tensors) {
    ordered.push_back({name, tensor.detach().to(torch::kCPU).contiguous()});
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return a.tensor.element_size() > b.tensor.element_size();
  });
  return ordered;
}

json header_of(const std::vector<NamedTensor>& tensors,
               const std::map<std::string, std::string>& metadata) {
  json header = json::object();
  uint64_t offset = 0;
  for (const auto& [name, tensor] : tensors) {
    const uint64_t end = offset + tensor.nbytes();
    header[name] = {{"dtype", format::type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {offset, end}}};
    offset = end;
  }
  header[format::kMetadata] = metadata;
  header[format::kMetadata][format::kVersionKey] = format::kVersion;
  return header;
}

void write_bytes(std::ostream& out, const void* bytes, std::size_t count) {
  out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}

/// Reads the written file back. A failure is reported as a write error of `file`.
void check_written(const path& written, const path& file) {
  try {
    check_tensors(written);
  } catch (const ModelFileError& error) {
    throw DataError(file,
                    fmt::format("the written file does not read back correctly ({}); is the disk "
                                "failing?",
                                error.what()));
  }
}

/// "decoder.weight [3, 4]".
std::string named_shape(const std::string& name, const torch::Tensor& tensor) {
  return fmt::format("{} [{}]", name, fmt::join(tensor.sizes(), ", "));
}

/// True if `stored` has the shape of the parameter `name`. Also true for the position_bias of
/// version 0.1.0, which has one bias per distance for all heads and is copied to every head.
bool fits(const std::string& name, const torch::Tensor& stored, const torch::Tensor& parameter) {
  if (stored.sizes() == parameter.sizes()) return true;
  return name.ends_with("scope.bias") && stored.dim() == 1 && parameter.dim() == 2 &&
         stored.size(0) == parameter.size(1);
}

/// Lists the differences between `weights` and the parameters of the model.
std::vector<std::string> misfits(const std::map<std::string, torch::Tensor>& model,
                                 const std::map<std::string, torch::Tensor>& weights) {
  std::vector<std::string> problems;
  for (const auto& [name, parameter] : model) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      problems.push_back("the file lacks " + named_shape(name, parameter));
    } else if (!fits(name, found->second, parameter)) {
      problems.push_back(fmt::format("the file has {}, the model [{}]",
                                     named_shape(name, found->second),
                                     fmt::join(parameter.sizes(), ", ")));
    }
  }
  for (const auto& [name, tensor] : weights) {
    if (!model.contains(name)) problems.push_back("the model has no " + named_shape(name, tensor));
  }
  return problems;
}

std::string summary(std::vector<std::string> problems) {
  const std::size_t unnamed = problems.size() - std::min(problems.size(), kMostProblemsNamed);
  problems.resize(problems.size() - unnamed);
  const std::string more = unnamed == 0 ? "" : fmt::format("; and {} more", unnamed);
  return join(problems, "; ") + more;
}

}  // namespace

void save_tensors(const path& file, const TensorFile& content, const path& keep_old_as) {
  const std::vector<NamedTensor> tensors = in_file_order(content.tensors);
  json header = header_of(tensors, content.metadata);
  uint64_t checksum = format::header_checksum(header);
  for (const NamedTensor& item : tensors) checksum = format::add_to_checksum(checksum, item.tensor);
  header[format::kMetadata][format::kChecksumKey] = format::checksum_text(checksum);
  std::string text = header.dump();
  text.resize((text.size() + format::kAlignment - 1) / format::kAlignment * format::kAlignment,
              ' ');
  ReplacementFile out(file);
  const uint64_t length = text.size();
  write_bytes(out.stream(), &length, sizeof length);
  write_bytes(out.stream(), text.data(), text.size());
  for (const NamedTensor& item : tensors) {
    write_bytes(out.stream(), item.tensor.data_ptr(), item.tensor.nbytes());
  }
  out.commit({[&file](const path& written) { check_written(written, file); }, keep_old_as});
}

std::map<std::string, torch::Tensor> weights_of(const torch::nn::Module& model) {
  std::map<std::string, torch::Tensor> weights;
  for (const auto& item : model.named_parameters()) weights[item.key()] = item.value().detach();
  return weights;
}

void set_weights(torch::nn::Module& model, const std::map<std::string, torch::Tensor>& weights,
                 const path& file) {
  const std::map<std::string, torch::Tensor> parameters = weights_of(model);
  const std::vector<std::string> problems = misfits(parameters, weights);
  if (!problems.empty()) {
    throw ModelFileError(file,
                         "the weights do not fit the model of the config: " + summary(problems) +
                             "; use the config and vocabulary they were trained with");
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [name, parameter] : parameters) parameter.copy_(weights.at(name));
}

}  // namespace attend::storage
