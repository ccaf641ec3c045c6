#include "app/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/utf8.h"
#include "draw/color_scale.h"
#include "draw/line_chart.h"
#include "storage/model_folder.h"

namespace attend::app {
namespace {

using nlohmann::json;

constexpr auto kStyle =
    "body{font-family:sans-serif;max-width:1120px;margin:1.5em auto;padding:0 1em;color:#222}"
    "svg{max-width:100%;height:auto;margin:.3em}"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right}"
    "th{border-bottom:1px solid #999}dt{color:#777;font-size:85%}dd{margin:0 0 .4em 0}"
    "section{display:flex;flex-wrap:wrap;gap:0 2em;align-items:flex-start;margin-bottom:1em;"
    "border-top:1px solid #ddd;padding-top:.8em}dl{flex:1 1 22em;max-width:34em;margin:0}";
constexpr double kCell = 18;
constexpr double kMostLabel = 130;  // room for the names of rows and columns
constexpr double kLetter = 7.2;     // about the width of a letter

bool is_train(const json& line) {
  return line.value("type", "") == "train";
}
bool is_validation(const json& line) {
  return line.value("type", "") == "validation";
}

/// The points (update, key) of the lines that `wanted` takes; `pointer` as in "/timing/seconds".
draw::ChartSeries series(const std::string& name, const std::vector<json>& history,
                         bool (*wanted)(const json&), const std::string& pointer) {
  const json::json_pointer key(pointer);
  draw::ChartSeries result{name, {}};
  for (const json& line : history) {
    if (!wanted(line) || !line.contains(key) || !line[key].is_number()) continue;
    result.points.push_back({line.value("update", 0.0), line[key].get<double>()});
  }
  return result;
}

std::string charts(const std::vector<json>& history) {
  const draw::LineChart all[] = {
      {"Loss (nats per target token)",
       "update",
       {series("training", history, is_train, "/loss"),
        series("development", history, is_validation, "/loss")}},
      {"BLEU on the development text", "update", {series("BLEU", history, is_validation, "/bleu")}},
      {"Learning rate", "update", {series("learning rate", history, is_train, "/learning_rate")}},
      {"Target tokens per second",
       "update",
       {series("tokens/s", history, is_train, "/timing/target_tokens_per_second")}}};
  std::string html;
  for (const draw::LineChart& chart : all) html += draw::to_svg(chart);
  return html;
}

std::string number(const json& line, const char* key, const char* format) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) return "";
  return fmt::format(fmt::runtime(format), found->get<double>());
}

std::string validations(const std::vector<json>& history) {
  std::string html =
      "<table><tr><th>update</th><th>epoch</th><th>loss</th><th>perplexity</th><th>BLEU</th>"
      "<th></th></tr>\n";
  for (const json& line : history) {
    if (is_train(line)) continue;
    const std::string average = is_validation(line) ? "" : "average of snapshots";
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td></tr>\n",
        number(line, "update", "{:.0f}"), number(line, "epoch", "{:.2f}"),
        number(line, "loss", "{:.4f}"), number(line, "perplexity", "{:.2f}"),
        number(line, "bleu", "{:.2f}"), line.value("best", false) ? "best " : "", average);
  }
  return html + "</table>\n";
}

std::string css_color(const draw::Color& color) {
  const auto byte = [](double part) { return std::lround(255.0 * part); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(color.red), byte(color.green), byte(color.blue));
}

double label_room(const std::vector<std::string>& pieces) {
  double longest = 4;
  for (const std::string& piece : pieces) {
    double letters = 0;
    // Letters of East Asia are about twice as wide.
    for (const char32_t c : utf8::decode(piece)) letters += c >= 0x1100 ? 2 : 1;
    longest = std::max(longest, letters);
  }
  return std::min(std::round(kLetter * longest) + 8, kMostLabel);
}

/// Where the grid of a heatmap begins.
struct Corner {
  double x = 0.0;
  double y = 0.0;
};

std::string cells(const train::Sample& sample, const Corner& corner) {
  std::string svg;
  const auto weights = sample.attention.accessor<float, 2>();
  for (int64_t row = 0; row < weights.size(0); ++row) {
    for (int64_t column = 0; column < weights.size(1); ++column) {
      const double weight = weights[row][column];
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
          "fill=\"{}\"><title>{} ← {}: {:.3f}</title></rect>\n",
          corner.x + kCell * static_cast<double>(column),
          corner.y + kCell * static_cast<double>(row), kCell - 1, kCell - 1,
          css_color(draw::shade(weight)),
          draw::escape_html(sample.target_pieces[static_cast<std::size_t>(row)]),
          draw::escape_html(sample.source_pieces[static_cast<std::size_t>(column)]), weight);
    }
  }
  return svg;
}

std::string row_labels(const std::vector<std::string>& pieces, const Corner& corner) {
  std::string svg;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", corner.x - 5,
                       corner.y + kCell * (static_cast<double>(i) + 0.7),
                       draw::escape_html(pieces[i]));
  }
  return svg;
}

std::string column_labels(const std::vector<std::string>& pieces, const Corner& corner) {
  std::string svg;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    svg += fmt::format("<text transform=\"translate({},{}) rotate(-60)\">{}</text>\n",
                       corner.x + kCell * (static_cast<double>(i) + 0.6), corner.y - 5,
                       draw::escape_html(pieces[i]));
  }
  return svg;
}

std::string heatmap(const train::Sample& sample) {
  if (!sample.attention.defined()) return "";
  const double above = label_room(sample.source_pieces);
  const Corner corner{label_room(sample.target_pieces), above};
  const double columns = kCell * static_cast<double>(sample.source_pieces.size());
  const double rows = kCell * static_cast<double>(sample.target_pieces.size());
  // The last slanted label reaches over the right edge of the grid.
  const std::string frame = fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<path d=\"M{2} {3}h{4}v{5}h-{4}z\" fill=\"#ddd\"/>\n",
      corner.x + columns + above / 2 + 4, corner.y + rows + 4, corner.x - 1, corner.y - 1,
      columns + 1, rows + 1);
  return frame + cells(sample, corner) + row_labels(sample.target_pieces, corner) +
         column_labels(sample.source_pieces, corner) + "</svg>\n";
}

std::string sample_section(const train::Sample& sample) {
  return fmt::format(
      "<section><dl><dt>source</dt><dd dir=\"auto\">{}</dd><dt>reference</dt>"
      "<dd dir=\"auto\">{}</dd><dt>translation</dt><dd dir=\"auto\">{}</dd></dl>\n{}</section>\n",
      draw::escape_html(sample.source), draw::escape_html(sample.reference),
      draw::escape_html(sample.hypothesis), heatmap(sample));
}

std::vector<json> read_history(const std::filesystem::path& file) {
  std::vector<json> history;
  std::istringstream lines(read_file(file));
  for (std::string line; std::getline(lines, line);) {
    json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (object.is_object()) history.push_back(std::move(object));
  }
  return history;
}

constexpr std::string_view kSamplesBegin = "<h2>Translations at the last validation</h2>\n";
constexpr std::string_view kPageEnd = "</body></html>\n";

std::string samples_part(const std::vector<train::Sample>& samples) {
  std::string html(samples.empty() ? "" : kSamplesBegin);
  for (const train::Sample& sample : samples) html += sample_section(sample);
  return html;
}

/// The samples of a page that an earlier process wrote; empty if there are none.
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
  const std::string begin = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
      "<style>{1}</style></head>\n<body><h1>{0}</h1>\n",
      draw::escape_html(title), kStyle);
  return begin + charts(history) + "<h2>Validations</h2>\n" + validations(history) + samples +
         std::string(kPageEnd);
}

}  // namespace

std::string report_page(const std::string& title, const std::vector<json>& history,
                        const std::vector<train::Sample>& samples) {
  return whole_page(title, history, samples_part(samples));
}

RunReport::RunReport(std::filesystem::path directory)
    : directory_(std::move(directory)),
      samples_(samples_of_page(directory_ / storage::model_folder::kReport)) {}

void RunReport::on_validation(const train::ValidationReport& report) {
  samples_ = samples_part(report.result.samples);
  try {
    write();
  } catch (const DataError& error) {  // a page is no reason to end a run
    log::warning("{}", error.what());
  }
}

void RunReport::write() const {
  const std::string title = std::filesystem::absolute(directory_).filename().string();
  const std::filesystem::path history = directory_ / storage::model_folder::kHistory;
  std::string page;
  try {
    page = whole_page("Training of " + title, read_history(history), samples_);
  } catch (const json::exception& error) {
    throw DataError(history, fmt::format("a line is none of attend's history: {}", error.what()));
  }
  write_file_atomically(directory_ / storage::model_folder::kReport, page);
}

}  // namespace attend::app
