#include "cli/eval_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace attend::cli {

std::string text_report(const std::vector<EvalEntry>& entries) {
  const bool several_systems = std::ranges::any_of(
      entries, [&](const EvalEntry& entry) { return entry.system != entries.front().system; });
  std::string text;
  for (const EvalEntry& entry : entries) {
    if (several_systems) text += entry.system + "\t";
    text += fmt::format("{}|{} = {:.{}f}{}{}\n", entry.name, entry.signature, entry.score,
                        entry.decimals, entry.details.empty() ? "" : " ", entry.details);
  }
  return text;
}

std::string json_report(const std::vector<EvalEntry>& entries) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const EvalEntry& entry : entries) {
    nlohmann::ordered_json object{{"system", entry.system}, {"name", entry.name}};
    if (entry.line) object["line"] = *entry.line;
    object["score"] = entry.score;
    object["signature"] = entry.signature;
    if (!entry.details.empty()) object["verbose_score"] = entry.details;
    list.push_back(std::move(object));
  }
  return list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace attend::cli
