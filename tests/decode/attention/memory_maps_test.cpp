// Checks the heads of a memory against single steps of the cell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <stdexcept>

#include "decode/attention/attention_maps.h"
#include "nn/embedding.h"
#include "nn/rnn/memory_cell.h"
#include "tests/decode/small_pairs.h"
#include "tests/support/tensors.h"
#include "text/vocabulary.h"

namespace attend::decode {
namespace {

using model::WiringKind;
using nn::CellKind;
using test::small_sources;
using test::small_targets;
using test::TensorNear;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr AttentionKinds kMemories{.encoder_memory = true, .decoder_memory = true};
constexpr int64_t kSlots = 6, kReaders = 2, kLayers = 2;

model::ModelOptions memory_options(CellKind cell, bool both_ways, WiringKind wiring) {
  model::ModelOptions options = test::small_options(wiring);
  auto& encoder = std::get<model::RecurrentEncoderOptions>(options.encoder);
  auto& decoder = std::get<model::RecurrentDecoderOptions>(options.decoder);
  encoder.cell = decoder.cell = cell;
  encoder.memory = decoder.memory = {kSlots, 3, kReaders, nn::Controller::lstm};
  encoder.layers = decoder.layers = kLayers;
  encoder.bidirectional = both_ways;
  decoder.hidden = encoder.hidden;
  decoder.bridge = both_ways ? model::BridgeKind::last : model::BridgeKind::copy;
  return options;
}

template <class Part>
const Part& part_of(const model::Seq2Seq& model, const std::string& name) {
  for (const auto& item : model.named_modules()) {
    const auto* part = dynamic_cast<const Part*>(item.value().get());
    if (item.key() == name && part != nullptr) return *part;
  }
  throw std::logic_error("no part " + name);
}

/// Runs one cell over the rows of x [T, I].
struct Stepped {
  std::vector<torch::Tensor> hidden;  // [1, H] after each step
  std::vector<torch::Tensor> heads;   // [heads, M] after each step, the write head first
  nn::CellState last;
};

Stepped stepped(const nn::MemoryCell& cell, const torch::Tensor& x, const nn::CellState& start) {
  Stepped result{{}, {}, start};
  for (int64_t t = 0; t < x.size(0); ++t) {
    result.last = cell.step(cell.project(x.narrow(0, t, 1)), result.last, {});
    const nn::MemoryState memory = cell.memory_of(result.last.cell);
    result.hidden.push_back(result.last.hidden);
    result.heads.push_back(at::cat({memory.write_weights, memory.read_weights[0]}, 0));
  }
  return result;
}

torch::Tensor row(const std::vector<text::TokenId>& words) {
  return torch::tensor(std::vector<int64_t>(words.begin(), words.end()));
}

class MemoryMaps : public testing::TestWithParam<CellKind> {};

TEST_P(MemoryMaps, AreWhereTheCellsHadTheirHeads) {
  const c10::InferenceMode no_gradients;
  const auto model = test::small_model(memory_options(GetParam(), false, WiringKind::none));
  const auto all = attention_maps(*model, data::pad(small_sources()), small_targets(), kMemories);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_THAT(all[i].encoder_memory.layers, SizeIs(kLayers));
    ASSERT_THAT(all[i].decoder_memory.layers, SizeIs(kLayers));
    std::vector<text::TokenId> read = small_targets()[i];
    read.insert(read.begin(), text::kBos);
    torch::Tensor source =
        part_of<nn::Embedding>(*model, "source_embedding").forward(row(small_sources()[i]));
    torch::Tensor target = part_of<nn::Embedding>(*model, "target_embedding").forward(row(read));
    for (int64_t layer = 0; layer < kLayers; ++layer) {
      const std::string number = std::to_string(layer);
      const auto& reader = part_of<nn::MemoryCell>(*model, "encoder.layer" + number + "_forward");
      const auto& writer = part_of<nn::MemoryCell>(*model, "decoder.stack.layer" + number);
      const Stepped of_source = stepped(reader, source, reader.start(1, source));
      const Stepped of_target = stepped(writer, target, of_source.last);
      const auto index = static_cast<std::size_t>(layer);
      EXPECT_THAT(all[i].encoder_memory.layers[index],
                  TensorNear(torch::stack(of_source.heads, 1).to(torch::kFloat), 1e-6));
      EXPECT_THAT(all[i].decoder_memory.layers[index],
                  TensorNear(torch::stack(of_target.heads, 1).to(torch::kFloat), 1e-6));
      source = at::cat(of_source.hidden, 0);
      target = at::cat(of_target.hidden, 0);
    }
  }
}

TEST_P(MemoryMaps, OfAnEncoderThatReadsBothWaysAreALayerForEach) {
  const c10::InferenceMode no_gradients;
  const auto model = test::small_model(memory_options(GetParam(), true, WiringKind::none));
  EXPECT_EQ(model->attention_heads().encoder_memory,
            (model::LayerHeads(2 * kLayers, kReaders + 1)));
  const auto maps =
      attention_maps(*model, data::pad(small_sources()), small_targets(), kMemories)[1];
  ASSERT_THAT(maps.encoder_memory.layers, SizeIs(2 * kLayers));
  const auto& reader = part_of<nn::MemoryCell>(*model, "encoder.layer0_backward");
  const torch::Tensor source =
      part_of<nn::Embedding>(*model, "source_embedding").forward(row(small_sources()[1]));
  Stepped backward = stepped(reader, source.flip(0), reader.start(1, source));
  std::reverse(backward.heads.begin(), backward.heads.end());
  EXPECT_THAT(maps.encoder_memory.layers[1],
              TensorNear(torch::stack(backward.heads, 1).to(torch::kFloat), 1e-6));
}

TEST_P(MemoryMaps, AreThereBesideAnAttention) {
  for (const WiringKind wiring :
       {WiringKind::luong, WiringKind::bahdanau, WiringKind::conditional}) {
    const auto model = test::small_model(memory_options(GetParam(), true, wiring));
    const auto source = data::pad(small_sources());
    const auto together = attention_maps(*model, source, small_targets(), kMemories);
    EXPECT_THAT(together[1].cross.layers, IsEmpty());
    EXPECT_EQ(together[1].decoder_memory.layers.at(1).sizes(),
              (torch::IntArrayRef{kReaders + 1, 4, kSlots}));
    const std::vector<std::vector<text::TokenId>> target{small_targets()[1]};
    const auto alone =
        attention_maps(*model, data::pad(test::Sentences{small_sources()[1]}), target, kMemories);
    EXPECT_THAT(together[1].decoder_memory.layers[1],
                TensorNear(alone[0].decoder_memory.layers[1], 1e-6));
    EXPECT_THAT(together[1].encoder_memory.layers[3],
                TensorNear(alone[0].encoder_memory.layers[3], 1e-6));
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, MemoryMaps, testing::Values(CellKind::ntm, CellKind::dnc),
                         [](const auto& test_case) {
                           return std::string(enum_name(test_case.param));
                         });

TEST(MemoryMapsOf, CellsWithoutAMemoryAreNone) {
  const auto model = test::small_model(test::small_options(WiringKind::luong));
  EXPECT_THAT(model->attention_heads().encoder_memory, IsEmpty());
  EXPECT_THAT(model->attention_heads().decoder_memory, IsEmpty());
  const auto maps =
      attention_maps(*model, data::pad(small_sources()), small_targets(), kMemories)[0];
  EXPECT_THAT(maps.encoder_memory.layers, IsEmpty());
  EXPECT_THAT(maps.decoder_memory.layers, IsEmpty());
}

TEST(MemoryMapsOf, ASourceInAnotherOrderAreTheDecodersAlone) {
  model::ModelOptions options = memory_options(CellKind::ntm, false, WiringKind::none);
  std::get<model::RecurrentEncoderOptions>(options.encoder).reverse_source = true;
  const auto model = test::small_model(options);
  EXPECT_THAT(model->attention_heads().encoder_memory, IsEmpty());
  EXPECT_THAT(model->attention_heads().decoder_memory, SizeIs(kLayers));
}

}  // namespace
}  // namespace attend::decode
