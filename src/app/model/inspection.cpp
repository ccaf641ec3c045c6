#include "app/model/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/model/output_directory.h"
#include "config/print.h"
#include "core/byte_count.h"
#include "core/excerpt.h"
#include "storage/model_folder.h"
#include "storage/weights_file.h"
#include "train/history.h"

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

std::string history_row(const json& object, bool is_best) {
  std::string row =
      fmt::format("{:>9} {:>8} {:>8} {:>11} {:>7}", cell(object, "update", "{:.0f}"),
                  cell(object, "epoch", "{:.2f}"), cell(object, "loss", "{:.4f}"),
                  cell(object, "perplexity", "{:.3f}"), cell(object, "bleu", "{:.2f}"));
  if (is_best) row += "  best";
  if (object.value("type", "") == "average") row += "  average";
  return row + "\n";
}

/// Shortens a number with many digits to six; returns other values unchanged.
std::string shortened(const std::string& value) {
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  const bool is_long = value.find('.') != std::string::npos && value.size() > 8;
  return is_long && *end == '\0' ? fmt::format("{:.6g}", number) : value;
}

std::string overview(const LoadedModel& loaded) {
  const auto bytes = std::filesystem::file_size(loaded.weights_file);
  std::string text =
      fmt::format("model       {}\nweights     {} ({})\nvocabulary  source {}, target {}{}\n",
                  loaded.directory.string(), loaded.weights_file.filename().string(),
                  byte_count(static_cast<double>(bytes)), with_commas(loaded.source->size()),
                  with_commas(loaded.target->size()),
                  tokenizer_files(loaded.directory).size() == 1 ? " (joint)" : "");
  for (const auto& [key, value] : storage::load_metadata(loaded.weights_file)) {
    text += fmt::format("{:<11} {}\n", escape_controls(key), shortened(escape_controls(value)));
  }
  return text;
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

std::string history_table(const std::filesystem::path& file) {
  std::vector<json> rows = train::read_history(file);
  std::erase_if(rows, [](const json& object) { return object.value("type", "") == "train"; });
  if (rows.empty()) return "";
  const auto is_best = [](const json& object) { return object.value("best", false); };
  const auto best =
      std::find_if(rows.rbegin(), rows.rend(), is_best);  // earlier ones were the best until then
  std::string table;
  for (auto row = rows.begin(); row != rows.end(); ++row)
    table += history_row(*row, row + 1 == best.base());
  return fmt::format("{:>9} {:>8} {:>8} {:>11} {:>7}\n", "update", "epoch", "loss", "perplexity",
                     "BLEU") +
         table;
}

std::string model_report(const LoadedModel& loaded) {
  std::string report = overview(loaded) + parameter_table(storage::weights_of(*loaded.model));
  const auto history = history_table(loaded.directory / storage::model_folder::kHistory);
  if (!history.empty()) report += "\nvalidations\n" + history;
  return report + "\nconfig\n" + config::to_yaml(loaded.experiment, loaded.directory);
}

}  // namespace attend::app
