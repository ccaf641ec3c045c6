#include "app/align/forced_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/lines/likeness_warning.h"
#include "app/lines/source_line.h"
#include "app/terms/line_protection.h"
#include "core/error.h"
#include "core/log.h"
#include "core/signal.h"
#include "data/batch.h"
#include "text/long_line.h"

namespace attend::app {

namespace {

/// The length of a pair in pieces, counted in the unit of the batch size.
std::size_t length_of(const ForcedPair& pair, const decode::BatchSize& batch) {
  const std::size_t source = pair.source.ids.size();
  const std::size_t target = pair.target.ids.size();
  return batch.in_tokens ? std::max(source, target) : source + target;
}

PairBlock block_of(const std::vector<ForcedPair>& pairs, const std::vector<std::size_t>& batch) {
  PairBlock block;
  data::Sentences sources;
  for (const std::size_t i : batch) {
    sources.push_back(pairs[i].source.ids);
    block.targets.push_back(pairs[i].target.ids);
    block.ids.push_back(pairs[i].id);
  }
  block.source = data::frame_sources(std::move(sources));
  return block;
}

/// Replaces the attention map that the model shows by `map`.
void show_map(decode::ForcedDecoding& forced, const decode::AttentionMaps& maps,
              const model::Seq2Seq& model, const decode::CrossMap& map) {
  forced.attention = decode::chosen_map(maps, model, map);
  forced.heads = torch::Tensor();
  if (map.head > 0) return;
  const torch::Tensor& heads =
      maps.cross.layers.at(map.layer > 0 ? map.layer - 1 : model.shown_layer());
  if (heads.size(0) > 1) forced.heads = heads;
}

std::vector<decode::ForcedDecoding> decode_block(const model::Seq2Seq& model,
                                                 const PairBlock& block,
                                                 const ForceOptions& options) {
  const bool own_attention = options.keep_attention && !options.matrices;
  auto forced = decode::force_decode(model, block.source, block.targets, own_attention);
  if (!options.matrices) return forced;
  auto matrices = options.matrices(model, block);
  for (std::size_t i = 0; i < forced.size(); ++i) forced[i].attention = std::move(matrices.at(i));
  return forced;
}

/// Shortens a very long text, because weight tables have a row or column for each of its words.
void shorten(TokenizedLine& line) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 14;
  if (line.text.size() > kMostBytes) end_at_last_piece(line);
}

}  // namespace

std::vector<data::LinePair> read_pairs(data::PairReader& reader, int64_t most) {
  std::vector<data::LinePair> pairs;
  while (std::ssize(pairs) < most) {
    auto pair = reader.next();
    if (!pair) break;
    pairs.push_back(std::move(*pair));
  }
  return pairs;
}

PairForcer::PairForcer(const LoadedModel& model, ForceOptions options)
    : model_(model), options_(std::move(options)), protection_(model.experiment.data.protect) {}

std::vector<ForcedPair> PairForcer::force(std::span<const data::LinePair> lines, int64_t first_id) {
  std::vector<ForcedPair> pairs;
  std::vector<std::size_t> lengths;
  for (const data::LinePair& line : lines) {
    const ForcedPair& pair = pairs.emplace_back(prepare(line, first_id + std::ssize(pairs)));
    lengths.push_back(length_of(pair, options_.batch));
  }
  for (const auto& batch : decode::length_batches(lengths, options_.batch)) {
    stop_if_requested("stopped by a signal before all pairs were decoded");
    decode(pairs, batch);
  }
  return pairs;
}

int64_t PairForcer::limit() const {
  return options_.whole_lines ? kMostWholePieces : model_.experiment.data.max_length;
}

ForcedPair PairForcer::prepare(const data::LinePair& lines, int64_t id) {
  const int64_t limit = this->limit();
  const data::ProtectedPair read = protection_.replaced(lines.source, lines.target);
  SourcePieces source = cut_source(model_, read.source.text, limit, id + 1);
  const std::string_view target = needed_of(read.target.text, *model_.target);
  ForcedPair pair{.id = id,
                  .source = std::move(source.line),
                  .target = tokenize_line(*model_.target, target),
                  .forced = {},
                  .maps = {}};
  pair.target.text = lines.target;
  if (!read.source.parts.empty()) {
    refer_to(lines.source, read.source, pair.source);
    refer_to(lines.target, read.target, pair.target);
  }
  const int64_t longer =
      std::max(source.dropped > 0 ? limit + source.dropped : 0, std::ssize(pair.target.ids));
  if (longer > limit) {
    if (options_.whole_lines) refuse_whole_line(id);
    warn_about_length(longer, source.counted && target.size() == read.target.text.size(), id);
    cut(pair.target, limit);
    shorten(pair.source);
    shorten(pair.target);
  }
  return pair;
}

std::string_view PairForcer::needed_of(const std::string& line,
                                       const text::Tokenizer& tokenizer) const {
  return text::enough_of(line, tokenizer, limit());
}

void PairForcer::refuse_whole_line(int64_t id) {
  throw DataError(
      fmt::format("line {} has more than {} pieces, too many to compute with at once; split it at "
                  "the sentences",
                  id + 1, kMostWholePieces));
}

void PairForcer::warn_about_length(int64_t pieces, bool counted, int64_t id) {
  if (!cut_pairs_.add()) return;
  log::warning(
      "line {} has {}{} pieces, more than the model's limit of {} (data.max_length); the rest is "
      "ignored",
      id + 1, counted ? "" : "over ", pieces, model_.experiment.data.max_length);
}

void PairForcer::warn_about_cuts() const {
  if (!cut_pairs_.has_unnamed()) return;
  log::warning("{} pairs were longer than data.max_length and were cut", cut_pairs_.count());
}

void PairForcer::decode(std::vector<ForcedPair>& pairs,
                        const std::vector<std::size_t>& batch) const {
  const PairBlock block = block_of(pairs, batch);
  auto forced = decode_block(*model_.model, block, options_);
  for (std::size_t i = 0; i < batch.size(); ++i) pairs[batch[i]].forced = std::move(forced[i]);
  add_maps(block, pairs, batch);
}

void PairForcer::add_maps(const PairBlock& block, std::vector<ForcedPair>& pairs,
                          const std::vector<std::size_t>& batch) const {
  decode::AttentionKinds kinds = options_.kinds;
  kinds.cross = kinds.cross || options_.map;
  if (!kinds.any()) return;
  auto maps = decode::attention_maps(*model_.model, block.source, block.targets, kinds);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ForcedPair& pair = pairs[batch[i]];
    if (options_.map) show_map(pair.forced, maps[i], *model_.model, *options_.map);
    pair.maps = std::move(maps[i]);
    if (!options_.kinds.cross) pair.maps.cross = {};
  }
}

void force_pairs(data::PairReader& reader, const LoadedModel& model, const ForceOptions& options,
                 const std::function<void(const ForcedPair&)>& take) {
  PairForcer forcer(model, options);
  LikenessWarning likeness(model);
  LineMeter meter(options.report, "scoring");
  int64_t first_id = 0;
  while (true) {
    const auto lines = read_pairs(reader, options.batch.window());
    if (lines.empty()) break;
    meter.read({reader.line_number(), reader.share_read()});
    likeness.add(lines, first_id + 1);
    for (const ForcedPair& pair : forcer.force(lines, first_id)) take(pair);
    meter.add(std::ssize(lines));
    first_id += std::ssize(lines);
  }
  reader.warn_about_repairs();
  forcer.warn_about_cuts();
}

}  // namespace attend::app
