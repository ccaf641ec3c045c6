#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "config/schema.h"
#include "core/named_enum.h"
#include "text/vocabulary.h"

namespace attend::model {

class Encoder;
struct ModelOptions;

/// How hops share word vectors.
enum class HopTying { adjacent, layer_wise };

constexpr auto name_table(HopTying) {
  return std::to_array<NamedValue<HopTying>>(
      {{HopTying::adjacent, "adjacent"}, {HopTying::layer_wise, "layer_wise"}});
}

/// How the vector of a fact is made from its words.
enum class FactWords { bag, position };

constexpr auto name_table(FactWords) {
  return std::to_array<NamedValue<FactWords>>(
      {{FactWords::bag, "bag"}, {FactWords::position, "position"}});
}

/// How energies become the weights of facts.
enum class FactWeights { linear, softmax };

constexpr auto name_table(FactWeights) {
  return std::to_array<NamedValue<FactWeights>>(
      {{FactWeights::linear, "linear"}, {FactWeights::softmax, "softmax"}});
}

/// The config section `model.encoder.hops`.
struct HopOptions {
  int64_t count = 3;
  HopTying tying = HopTying::adjacent;
  FactWords words = FactWords::position;
  int64_t slots = 50;        // number of facts read, the last ones of a line
  double empty_slots = 0.1;  // share of empty slots in training
  FactWeights weights = FactWeights::softmax;

  bool operator==(const HopOptions&) const = default;
};

/// The config section `model.encoder` of type memory, an end-to-end memory network.
struct MemoryEncoderOptions {
  static constexpr std::string_view kType = "memory";

  HopOptions hops;
  // Not config keys, but set from data.segments: the piece between segments, and the piece that is
  // a lone blank. Negative: none.
  text::TokenId separator = -1;
  text::TokenId blank = -1;
};

/// The number of equal parts that a word vector consists of.
[[nodiscard]] int64_t word_parts(const HopOptions& options);

void describe(config::Schema<HopOptions>& schema);
void describe(config::Schema<MemoryEncoderOptions>& schema);

[[nodiscard]] std::shared_ptr<Encoder> make_encoder(const MemoryEncoderOptions& encoder,
                                                    const ModelOptions& model);

}  // namespace attend::model
