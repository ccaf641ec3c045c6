#include "app/run/report.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "align/attention_matrix.h"
#include "app/model/output_directory.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "draw/escape_html.h"
#include "draw/heatmap_markup.h"
#include "draw/page_files.h"
#include "storage/model_folder.h"
#include "train/history.h"

namespace attend::app {
namespace {

using nlohmann::json;

bool is_train(const json& line) {
  return line.value("type", "") == "train";
}
bool is_validation(const json& line) {
  return line.value("type", "") == "validation";
}

using Point = std::array<double, 2>;  // update, value

/// Replaces groups of points by their last update and mean value, to keep at most 1000 points.
std::vector<Point> thinned(std::vector<Point> points) {
  constexpr std::size_t kMost = 1000;
  if (points.size() <= kMost) return points;
  std::vector<Point> result;
  for (std::size_t i = 0; i < kMost; ++i) {
    const std::size_t begin = i * points.size() / kMost;
    const std::size_t end = (i + 1) * points.size() / kMost;
    double sum = 0.0;
    for (std::size_t k = begin; k < end; ++k) sum += points[k][1];
    result.push_back({points[end - 1][0], sum / static_cast<double>(end - begin)});
  }
  return result;
}

/// The values of `pointer` ("/timing/seconds") in the lines for which `wanted` is true.
json series(const std::string& name, const std::vector<json>& history, bool (*wanted)(const json&),
            const std::string& pointer) {
  const json::json_pointer key(pointer);
  std::vector<Point> points;
  for (const json& line : history) {
    if (!wanted(line) || !line.contains(key) || !line[key].is_number()) continue;
    points.push_back({line.value("update", 0.0), line[key].get<double>()});
  }
  return {{"name", name}, {"points", thinned(std::move(points))}};
}

json chart(const std::string& title, std::vector<json> series) {
  return {{"title", title}, {"series", std::move(series)}};
}

/// The charts for report_script().
json charts(const std::vector<json>& history) {
  return json::array(
      {chart("Loss (nats per target token)",
             {series("training", history, is_train, "/loss"),
              series("validation", history, is_validation, "/loss")}),
       chart("BLEU on the validation set", {series("BLEU", history, is_validation, "/bleu")}),
       chart("Learning rate", {series("learning rate", history, is_train, "/learning_rate")}),
       chart("Target tokens per second",
             {series("tokens/s", history, is_train, "/timing/target_tokens_per_second")})});
}

std::string number(const json& line, const char* key, const char* format) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return "";
  return fmt::format(fmt::runtime(format), found->get<double>());
}

/// All validations; if there are many, the last ones, the best one and a selection of the others.
std::vector<json> shown_validations(const std::vector<json>& history) {
  constexpr std::size_t kMost = 200;
  constexpr std::size_t kLast = 50;
  std::vector<json> all;
  std::copy_if(history.begin(), history.end(), std::back_inserter(all),
               [](const json& line) { return !is_train(line); });
  if (all.size() <= kMost) return all;
  const std::size_t step = (all.size() + kMost - kLast - 1) / (kMost - kLast);
  std::size_t best = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].value("best", false)) best = i;
  }
  std::vector<json> shown;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % step == 0 || i == best || i + kLast >= all.size()) shown.push_back(all[i]);
  }
  return shown;
}

std::string validations(const std::vector<json>& history) {
  std::string html =
      "<table><tr><th>update</th><th>epoch</th><th>loss</th><th>perplexity</th><th>BLEU</th>"
      "<th></th></tr>\n";
  const std::vector<json> shown = shown_validations(history);
  const auto best = std::find_if(shown.rbegin(), shown.rend(),
                                 [](const json& line) { return line.value("best", false); });
  for (auto line = shown.begin(); line != shown.end(); ++line) {
    const bool is_best = line + 1 == best.base();
    const std::string average = is_validation(*line) ? "" : "average of snapshots";
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td></tr>\n",
        number(*line, "update", "{:.0f}"), number(*line, "epoch", "{:.2f}"),
        number(*line, "loss", "{:.4f}"), number(*line, "perplexity", "{:.2f}"),
        number(*line, "bleu", "{:.2f}"), is_best ? "best " : "", average);
  }
  return html + "</table>\n";
}

align::AttentionMatrix matrix_of(const train::Sample& sample) {
  const torch::Tensor weights = sample.attention.contiguous();
  const auto* const values = weights.data_ptr<float>();
  return {.target = sample.target_pieces,
          .source = sample.source_pieces,
          .target_end = true,
          .source_end = true,
          .weights = {sample.target_pieces.size(), sample.source_pieces.size(),
                      std::vector<float>(values, values + weights.numel())},
          .heads = {}};
}

std::string heatmap(const train::Sample& sample) {
  return sample.attention.defined() ? draw::heatmap_markup(matrix_of(sample)) : "";
}

std::string sample_section(const train::Sample& sample) {
  return fmt::format(
      "<section><dl><dt>source</dt><dd dir=\"auto\">{}</dd><dt>reference</dt>"
      "<dd dir=\"auto\">{}</dd><dt>translation</dt><dd dir=\"auto\">{}</dd></dl>\n{}</section>\n",
      draw::escape_html(sample.source), draw::escape_html(sample.reference),
      draw::escape_html(sample.hypothesis), heatmap(sample));
}

constexpr std::string_view kSamplesBegin = "<h2>Translations at the last validation</h2>\n";
constexpr std::string_view kPageEnd = "</body></html>\n";

std::string samples_part(const std::vector<train::Sample>& samples) {
  std::string html(samples.empty() ? "" : kSamplesBegin);
  for (const train::Sample& sample : samples) html += sample_section(sample);
  return html;
}

/// The samples of an existing page; empty if there are none.
std::string samples_of_page(const std::filesystem::path& page) {
  if (!std::filesystem::exists(page)) return "";
  const std::string html = read_file(page);
  const std::size_t begin = html.find(kSamplesBegin);
  const std::size_t end = html.rfind(kPageEnd);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return html.substr(begin, end - begin);
}

std::string whole_page(const std::string& title, const std::vector<json>& history,
                       const std::string& samples) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
      "<style>\n{1}</style></head>\n<body><h1>{0}</h1>\n<div id=\"charts\"></div>\n"
      "<noscript>The curves need JavaScript.</noscript>\n"
      "<script type=\"application/json\" id=\"curves\">{2}</script>\n<script>\n{3}</script>\n"
      "<h2>Validations</h2>\n{4}{5}{6}",
      draw::escape_html(title), draw::report_style(), charts(history).dump(), draw::report_script(),
      validations(history), samples, kPageEnd);
}

}  // namespace

RunReport::RunReport(std::filesystem::path directory)
    : directory_(std::move(directory)),
      samples_(samples_of_page(directory_ / storage::model_folder::kReport)) {}

void RunReport::on_validation(const train::ValidationReport& report) {
  samples_ = samples_part(report.result.samples);
  write();
}

void RunReport::write() const {
  const std::string title = full_folder_name(directory_).filename().string();
  try {
    const std::vector<json> history =
        train::read_history(directory_ / storage::model_folder::kHistory);
    write_file_atomically(directory_ / storage::model_folder::kReport,
                          whole_page("Training of " + title, history, samples_));
  } catch (const DataError& error) {
    log::warning("{}", error.what());
  }
}

}  // namespace attend::app
