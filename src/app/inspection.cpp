#include "app/inspection.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"

namespace attend::app {

namespace {

using nlohmann::json;

// The first `parts` parts of a dotted name.
std::string head_of(const std::string& name, int parts) {
  std::size_t end = 0;
  for (int i = 0; i < parts && end != std::string::npos; ++i) {
    end = name.find('.', i == 0 ? 0 : end + 1);
  }
  return name.substr(0, end);
}

std::string cell(const json& object, const char* key, const char* format) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return "";
  return fmt::format(fmt::runtime(format), found->get<double>());
}

std::string history_row(const json& object) {
  std::string row =
      fmt::format("{:>9} {:>8} {:>8} {:>11} {:>7}", cell(object, "update", "{:.0f}"),
                  cell(object, "epoch", "{:.2f}"), cell(object, "loss", "{:.4f}"),
                  cell(object, "perplexity", "{:.3f}"), cell(object, "bleu", "{:.2f}"));
  if (object.value("best", false)) row += "  best";
  if (object.value("type", "") == "average") row += "  average";
  return row + "\n";
}

}  // namespace

std::vector<BlockSize> block_sizes(const std::map<std::string, torch::Tensor>& weights) {
  std::map<std::string, std::map<std::string, int64_t>> blocks;
  for (const auto& [name, tensor] : weights) {
    blocks[head_of(name, 1)][head_of(name, 2)] += tensor.numel();
  }
  std::vector<BlockSize> sizes;
  for (const auto& [block, parts] : blocks) {
    int64_t total = 0;
    for (const auto& [name, count] : parts) total += count;
    sizes.push_back({block, total});
    if (parts.size() == 1) continue;
    for (const auto& [name, count] : parts) sizes.push_back({name, count});
  }
  return sizes;
}

std::string parameter_table(const std::map<std::string, torch::Tensor>& weights) {
  int64_t total = 0;
  for (const auto& [name, tensor] : weights) total += tensor.numel();
  std::string text = fmt::format("\n{:<36} {:>13}\n", "parameters", with_commas(total));
  for (const auto& block : block_sizes(weights)) {
    const bool part = block.name.find('.') != std::string::npos;
    text += fmt::format("  {:<34} {:>13}  {:5.1f} %\n", (part ? "  " : "") + block.name,
                        with_commas(block.parameters),
                        100.0 * static_cast<double>(block.parameters) / static_cast<double>(total));
  }
  return text;
}

std::string with_commas(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = static_cast<int64_t>(digits.size()) - 3; place > (number < 0 ? 1 : 0);
       place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

std::string with_unit(uintmax_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3)
                           : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string history_table(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return "";
  std::string table;
  LineReader reader(file);
  while (const auto line = reader.next()) {
    const auto object = json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) continue;
    try {
      if (object.value("type", "") != "train") table += history_row(object);
    } catch (const json::exception& error) {
      throw DataError(file, reader.line_number(),
                      fmt::format("this is no line of attend's history: {}", error.what()));
    }
  }
  if (table.empty()) return "";
  return fmt::format("{:>9} {:>8} {:>8} {:>11} {:>7}\n", "update", "epoch", "loss", "perplexity",
                     "BLEU") +
         table;
}

}  // namespace attend::app
