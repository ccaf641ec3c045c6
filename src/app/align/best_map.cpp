#include "app/align/best_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "align/extract.h"
#include "app/attention/attention_kinds.h"
#include "app/attention/sentence_attention.h"
#include "core/log.h"
#include "core/option_name.h"
#include "data/pair_reader.h"

namespace attend::app {
namespace {

std::vector<JudgedMap> candidates(const LoadedModel& model, const AlignmentReading& reading) {
  const model::LayerHeads layers = model.model->attention_heads().cross;
  const std::size_t chosen = reading.map ? reading.map->layer : 0;
  std::vector<JudgedMap> all;
  for (std::size_t shift = 0; shift < 2; ++shift) {
    if (reading.shift && *reading.shift != shift) continue;
    for (std::size_t layer = 1; layer <= layers.size(); ++layer) {
      if (chosen > 0 && layer != chosen) continue;
      all.push_back({{layer, 0}, shift, {}});
      const auto heads = static_cast<std::size_t>(layers[layer - 1]);
      for (std::size_t head = 1; heads > 1 && head <= heads; ++head)
        all.push_back({{layer, head}, shift, {}});
    }
  }
  return all;
}

std::vector<data::LinePair> lines_of(std::vector<data::LinePair> lines, bool turned) {
  if (!turned) return lines;
  for (data::LinePair& line : lines) std::swap(line.source, line.target);
  return lines;
}

align::GoldLinks gold_of(const GoldPairs& pairs, int64_t id) {
  const align::GoldLinks gold = pairs.gold.gold(static_cast<std::size_t>(id));
  if (!pairs.turned) return gold;
  return {align::transposed(gold.sure), align::transposed(gold.possible)};
}

void judge_pair(const LoadedModel& model, const ForcedPair& pair, const align::GoldLinks& gold,
                const AlignmentReading& reading, align::Judge judge,
                std::vector<JudgedMap>& judged) {
  for (JudgedMap& one : judged) {
    const SentenceAttention attention{
        pair.source, pair.target, decode::chosen_map(pair.maps, *model.model, one.map), {}};
    const align::Links links = align::extract_links(
        attention_matrix(attention, align::Level::kWord, one.shift), reading.threshold);
    one.counts += align::count_links(links, gold, judge);
  }
}

std::string name_of(const decode::CrossMap& map) {
  return map.head == 0 ? "mean" : fmt::format("head {}", map.head);
}

/// Logs one line per layer and shift.
void log_rates(const std::vector<JudgedMap>& judged) {
  for (std::size_t begin = 0; begin < judged.size();) {
    const JudgedMap& first = judged[begin];
    std::string line =
        fmt::format("AER of layer {}, {} {}:", first.map.layer, option_name("shift"), first.shift);
    std::size_t end = begin;
    for (; end < judged.size() && judged[end].map.layer == first.map.layer &&
           judged[end].shift == first.shift;
         ++end) {
      line += fmt::format("{} {} {:.4f}", end > begin ? "," : "", name_of(judged[end].map),
                          judged[end].counts.error_rate());
    }
    log::info("{}", line);
    begin = end;
  }
}

}  // namespace

std::vector<JudgedMap> judge_maps(const LoadedModel& model, const AlignmentReading& reading,
                                  const GoldPairs& pairs) {
  std::vector<JudgedMap> judged = candidates(model, reading);
  ForceOptions options;
  options.batch = batch_size(reading.batch, model);
  options.kinds.cross = true;
  data::PairReader reader(pairs.files);
  PairForcer forcer(model, options);
  int64_t first_id = 0;
  while (true) {
    const auto lines = lines_of(read_pairs(reader, options.batch.window()), pairs.turned);
    if (lines.empty()) break;
    for (const ForcedPair& pair : forcer.force(lines, first_id))
      judge_pair(model, pair, gold_of(pairs, pair.id), reading, pairs.judge, judged);
    first_id += std::ssize(lines);
  }
  return judged;
}

const JudgedMap& best_map(const std::vector<JudgedMap>& judged) {
  return *std::ranges::min_element(judged, {},
                                   [](const JudgedMap& one) { return one.counts.error_rate(); });
}

AlignmentReading best_reading(const LoadedModel& model, const AlignmentReading& reading,
                              const GoldPairs& pairs) {
  if (reading.map) check_cross_map({reading.map->layer, 0}, model);
  const std::vector<JudgedMap> judged = judge_maps(model, reading, pairs);
  log_rates(judged);
  const JudgedMap& best = best_map(judged);
  log::info("best for {}: {} {} {} {} {} {} (AER {:.4f}); use these options for other texts",
            model.directory.string(), option_name("layer"), best.map.layer, option_name("head"),
            best.map.head == 0 ? "mean" : std::to_string(best.map.head), option_name("shift"),
            best.shift, best.counts.error_rate());
  AlignmentReading reading_of_best = reading;
  reading_of_best.map = best.map;
  reading_of_best.shift = best.shift;
  return reading_of_best;
}

}  // namespace attend::app
