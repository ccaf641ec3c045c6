#include "server/api/answer_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/http/api_error.h"

namespace attend::server {
namespace {

// Measured bytes of memory for a translation, its JSON values and their text. Doubles, so that no
// product overflows.
constexpr double kNumberBytes = 50;
constexpr double kPieceBytes = 400;
constexpr double kAlternativeBytes = 450;
constexpr double kNodeBytes = 900;

/// The sizes of a hypothesis, end symbols included.
struct PairSize {
  double source = 0;
  double target = 0;
};

/// The number of slots in the model's largest memory.
double slots_of(const model::ModelOptions& options) {
  int64_t slots = 0;
  if (const auto* encoder = std::get_if<model::RecurrentEncoderOptions>(&options.encoder))
    slots = encoder->memory.slots;
  if (const auto* decoder = std::get_if<model::RecurrentDecoderOptions>(&options.decoder))
    slots = std::max(slots, decoder->memory.slots);
  return static_cast<double>(slots);
}

/// The number of weights of the requested kinds, with a rollout for each. An upper bound, because
/// it takes the longer side of the pair for rows and columns.
double kind_numbers(const TranslateRequest& request, const PairSize& pair) {
  if (!request.kinds.any()) return 0;
  const double longer = std::max(pair.source, pair.target);
  const double columns = std::max(longer, slots_of(request.model->loaded().experiment.model));
  const model::AttentionHeads heads = request.model->loaded().model->attention_heads();
  double tables = 0;
  for (const decode::KindPlaces& kind : decode::kKindPlaces) {
    if (!(request.kinds.*kind.asked)) continue;
    tables += 1;
    for (const int64_t of_layer : heads.*kind.heads) tables += static_cast<double>(of_layer);
  }
  return tables * longer * columns;
}

/// The attention of a hypothesis: JSON values, or floats if it only moves tags and unknown words.
double attention_bytes(const TranslateRequest& request, const PairSize& pair) {
  if (!request.attention && !request.markup && !request.copy_unknown) return 0;
  double heads = 0;
  for (const int64_t of_layer : request.model->loaded().model->attention_heads().cross)
    heads = std::max(heads, static_cast<double>(of_layer));
  const double numbers = (1 + (heads > 1 ? heads : 0)) * pair.source * pair.target;
  return numbers * (request.attention ? kNumberBytes : double{sizeof(float)});
}

double hypothesis_bytes(const TranslateRequest& request, const PairSize& pair) {
  const auto alternatives = static_cast<double>(request.alternatives);
  return pair.target * (kPieceBytes + alternatives * kAlternativeBytes) +
         attention_bytes(request, pair) + kNumberBytes * kind_numbers(request, pair);
}

/// The tree has at most `beam` kept and `beam` pruned nodes for each step of the search.
double tree_bytes(const TranslateRequest& request, const PairSize& pair) {
  if (!request.tree) return 0;
  return 2 * static_cast<double>(request.options.decoding.beam) * pair.target * kNodeBytes;
}

void check_bytes(double bytes, const char* advice) {
  constexpr double kMegabyte = 1 << 20;
  if (bytes <= static_cast<double>(kMostAnswerBytes)) return;
  throw bad_request(fmt::format("the answer could take {:.0f} MB, more than {} MB; {}",
                                bytes / kMegabyte, kMostAnswerBytes >> 20, advice));
}

}  // namespace

void check_answer_size(const TranslateRequest& request, const std::vector<app::SourceLine>& lines) {
  double bytes = 0;
  for (const app::SourceLine& line : lines) {
    if (line.empty()) continue;
    const PairSize pair{.source = static_cast<double>(line.sentence.sources.front().size()),
                        .target = 1 + static_cast<double>(decode::longest_output(
                                          line.sentence, request.options.decoding))};
    bytes += static_cast<double>(request.options.n_best) * hypothesis_bytes(request, pair) +
             tree_bytes(request, pair);
  }
  constexpr double kWithEscapes = 2;
  for (const DocumentText& text : request.documents)
    bytes += kWithEscapes * static_cast<double>(request.options.n_best) *
             static_cast<double>(text.bytes());
  check_bytes(bytes,
              "split the request, or reduce \"n_best\", \"alternatives\", \"attention\" or "
              "\"max_length_ratio\"");
}

void check_matrix_size(int64_t rows, int64_t columns) {
  check_bytes(kNumberBytes * static_cast<double>(rows) * static_cast<double>(columns),
              "send shorter sentences");
}

}  // namespace attend::server
