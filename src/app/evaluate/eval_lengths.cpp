#include "app/evaluate/eval_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace attend::app {

namespace {

constexpr std::array<int64_t, 8> kMostWords = {5, 10, 15, 20, 30, 40, 50, 0};

struct Bucket {
  int64_t from = 0, to = 0;
  std::vector<std::size_t> segments;
};

std::vector<Bucket> buckets_of(const std::vector<int64_t>& lengths) {
  std::vector<Bucket> buckets;
  int64_t from = 0;
  for (const int64_t most : kMostWords) {
    Bucket bucket{from, most, {}};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] >= from && (most == 0 || lengths[i] <= most)) bucket.segments.push_back(i);
    }
    if (!bucket.segments.empty()) buckets.push_back(std::move(bucket));
    from = most + 1;
  }
  return buckets;
}

metrics::Statistics sum_of(const metrics::CorpusStatistics& statistics,
                           const std::vector<std::size_t>& segments) {
  metrics::Statistics sum(statistics.row(segments.front()).size(), 0.0);
  for (const std::size_t segment : segments) {
    const auto row = statistics.row(segment);
    std::ranges::transform(sum, row, sum.begin(), std::plus<>());
  }
  return sum;
}

std::string range_text(const LengthEntry& entry) {
  return entry.to == 0 ? fmt::format("{} or more", entry.from)
                       : fmt::format("{} to {}", entry.from, entry.to);
}

bool has_several_systems(const std::vector<LengthEntry>& entries) {
  return std::ranges::any_of(
      entries, [&](const LengthEntry& entry) { return entry.system != entries.front().system; });
}

}  // namespace

std::vector<LengthEntry> score_by_length(const Evaluation& evaluation) {
  std::vector<LengthEntry> entries;
  const std::vector<Bucket> buckets = buckets_of(evaluation.lengths);
  for (std::size_t system = 0; system < evaluation.systems.size(); ++system) {
    for (const Bucket& bucket : buckets) {
      for (const Measurement& measurement : evaluation.measurements) {
        const metrics::Scorer& scorer = *measurement.scorer;
        const auto sum = sum_of(measurement.systems[system], bucket.segments);
        entries.push_back({.system = evaluation.systems[system],
                           .from = bucket.from,
                           .to = bucket.to,
                           .lines = static_cast<int64_t>(bucket.segments.size()),
                           .name = scorer.name(),
                           .signature = scorer.signature(evaluation.references),
                           .score = scorer.score(sum).value,
                           .decimals = scorer.decimals()});
      }
    }
  }
  return entries;
}

std::string length_report(const std::vector<LengthEntry>& entries) {
  const bool several = has_several_systems(entries);
  TableRows rows{{"source words", "lines"}};
  std::map<int64_t, std::size_t> row_of;  // by the fewest words
  std::vector<std::string> signatures;
  for (const LengthEntry& entry : entries) {
    const auto [row, is_new] = row_of.try_emplace(entry.from, rows.size());
    if (is_new) rows.push_back({range_text(entry), fmt::format("{}", entry.lines)});
    rows[row->second].push_back(fmt::format("{:.{}f}", entry.score, entry.decimals));
    if (entry.from == entries.front().from)
      rows.front().push_back(several ? entry.system + " " + entry.name : entry.name);
    const std::string signature = entry.name + "|" + entry.signature;
    if (std::ranges::find(signatures, signature) == signatures.end())
      signatures.push_back(signature);
  }
  std::string text = aligned_table(rows) + "\n";
  for (const std::string& signature : signatures) text += signature + "\n";
  return text;
}

std::string length_json(const std::vector<LengthEntry>& entries) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const LengthEntry& entry : entries) {
    list.push_back({{"system", entry.system},
                    {"name", entry.name},
                    {"words_from", entry.from},
                    {"words_to", entry.to == 0 ? Json() : Json(entry.to)},
                    {"lines", entry.lines},
                    {"score", entry.score},
                    {"signature", entry.signature}});
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace attend::app
