#include "app/evaluate/eval_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/utf8.h"

namespace attend::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kSignificant = 0.05;

std::string interval_text(const EvalEntry& entry) {
  return fmt::format("{:.{}f} ± {:.{}f}", entry.interval->mean, entry.decimals,
                     entry.interval->half_width, entry.decimals);
}

std::string score_text(const EvalEntry& entry) {
  return fmt::format("{:.{}f}", entry.score, entry.decimals);
}

// Formats a cell: "26.65 (26.64 ± 0.65) (p = 0.0240)*"
std::string cell_text(const EvalEntry& entry) {
  std::string text = score_text(entry);
  if (entry.interval) text += fmt::format(" ({})", interval_text(entry));
  if (entry.p_value) {
    text +=
        fmt::format(" (p = {:.4f}){}", *entry.p_value, *entry.p_value <= kSignificant ? "*" : "");
  }
  return text;
}

// A row per system; each system has `columns` consecutive entries.
TableRows table_of(const std::vector<EvalEntry>& entries, std::size_t columns) {
  TableRows rows{{"System"}};
  for (std::size_t c = 0; c < columns; ++c) {
    rows[0].push_back(entries[c].name + (entries[c].interval ? " (μ ± 95% CI)" : ""));
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i % columns == 0) rows.push_back({(i == 0 ? "Baseline: " : "") + entries[i].system});
    rows.back().push_back(cell_text(entries[i]));
  }
  return rows;
}

void add_resampling(const EvalEntry& entry, Json& object) {
  const auto& interval = entry.interval;
  if (entry.paired) {
    object["p_value"] = entry.p_value ? Json(*entry.p_value) : Json();
    object["mean"] = interval ? Json(interval->mean) : Json();
    object["ci"] = interval ? Json(interval->half_width) : Json();
  } else if (interval) {
    object["confidence_mean"] = interval->mean;
    object["confidence_var"] = interval->half_width;
    object["confidence"] = "μ = " + interval_text(entry);
  }
}

}  // namespace

std::string aligned_table(const TableRows& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], utf8::length(utf8::replace_invalid(row[c])));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      text += row[c];
      const std::size_t length = utf8::length(utf8::replace_invalid(row[c]));
      if (c + 1 < row.size()) text += std::string(widths[c] - length + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

std::string text_report(const std::vector<EvalEntry>& entries) {
  const bool several_systems = std::ranges::any_of(
      entries, [&](const EvalEntry& entry) { return entry.system != entries.front().system; });
  std::string text;
  for (const EvalEntry& entry : entries) {
    if (several_systems) text += entry.system + "\t";
    text += fmt::format("{}|{} = {}", entry.name, entry.signature, score_text(entry));
    if (entry.interval) text += fmt::format(" (μ = {})", interval_text(entry));
    if (!entry.details.empty()) text += " " + entry.details;
    text += '\n';
  }
  return text;
}

std::string paired_report(const std::vector<EvalEntry>& entries, std::string_view test) {
  const auto columns = static_cast<std::size_t>(
      std::ranges::find_if(entries,
                           [&](const auto& entry) { return entry.system != entries[0].system; }) -
      entries.begin());
  std::string text = aligned_table(table_of(entries, columns));
  text += fmt::format(
      "\n{}. p: probability of at least this difference from the baseline if both systems are "
      "equally good; * if p <= {}.\n\n",
      test, kSignificant);
  for (std::size_t c = 0; c < columns; ++c)
    text += fmt::format("{}|{}\n", entries[c].name, entries[c].signature);
  return text;
}

std::string json_report(const std::vector<EvalEntry>& entries) {
  Json list = Json::array();
  for (const EvalEntry& entry : entries) {
    Json object{{"system", entry.system}, {"name", entry.name}};
    if (entry.line) object["line"] = *entry.line;
    object["score"] = entry.score;
    object["signature"] = entry.signature;
    add_resampling(entry, object);
    if (!entry.details.empty()) object["verbose_score"] = entry.details;
    list.push_back(std::move(object));
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attend::app
