#include "model/memory/memory_encoder.h"

#include "core/error.h"
#include "nn/drawing.h"
#include "nn/shape.h"

namespace attend::model {
namespace {

/// Indices of the parts of a word's vector. Hops count from 0; part 0 is m of the first hop.
struct WordParts {
  bool adjacent;

  [[nodiscard]] int64_t output(int64_t hop) const { return adjacent ? hop + 1 : 1; }
  [[nodiscard]] int64_t question() const { return adjacent ? 0 : 2; }
};

WordParts parts_of(const HopOptions& options) {
  return {options.tying == HopTying::adjacent};
}

/// [B, S, *] with zeros where the mask [B, S] is false.
torch::Tensor zero_masked(const torch::Tensor& mask, const torch::Tensor& vectors) {
  return vectors * mask.unsqueeze(2);
}

}  // namespace

std::shared_ptr<Encoder> make_encoder(const MemoryEncoderOptions& encoder,
                                      const ModelOptions& model) {
  return std::make_shared<MemoryEncoder>(encoder, model.embedding);
}

MemoryEncoder::MemoryEncoder(const MemoryEncoderOptions& options, int64_t embedding)
    : options_(options.hops),
      separator_(options.separator),
      blank_(options.blank),
      size_(embedding / word_parts(options_)) {
  if (separator_ < 0) {
    throw ConfigError(
        "model.encoder.type: memory reads segments; set their separator "
        "(data.segments.separator)");
  }
  const int64_t timed = parts_of(options_).output(options_.count - 1) + 1;
  times_ = register_module("times", std::make_shared<nn::Embedding>(options_.slots, timed * size_));
  if (options_.tying == HopTying::adjacent) return;
  between_ = register_module("between", std::make_shared<nn::Linear>(size_, size_, /*bias=*/false));
}

std::vector<EncoderShape> MemoryEncoder::shapes() const {
  return {{size_, /*has_summary=*/true}};
}

LayerHeads MemoryEncoder::self_attention_heads() const {
  if (options_.weights == FactWeights::linear) return {};
  return LayerHeads(static_cast<std::size_t>(options_.count), 1);
}

std::vector<EncoderOutput> MemoryEncoder::encode(const nn::IndexedRows& embedded,
                                                 const data::SentenceBatch& source) const {
  return {read(embedded, source, Segments(source, separator_, blank_)).output};
}

TracedEncoding MemoryEncoder::trace(const nn::IndexedRows& embedded,
                                    const data::SentenceBatch& source) const {
  const Segments segments(source, separator_, blank_);
  Read result = read(embedded, source, segments);
  const torch::Tensor shares =
      result.slots.words / segments.size.clamp_min(1).unsqueeze(1);  // [B, G, S]
  TracedEncoding traced{{std::move(result.output)}, {}};
  if (self_attention_heads().empty()) return traced;
  const int64_t words = source.ids.size(1);
  for (const torch::Tensor& hop : result.hops) {
    traced.self.push_back(
        at::bmm(hop.unsqueeze(1), shares).unsqueeze(1).expand({-1, 1, words, words}).contiguous());
  }
  return traced;
}

MemoryEncoder::Slots MemoryEncoder::slots_of(const Segments& segments,
                                             const torch::Tensor& like) const {
  const int64_t most = std::max<int64_t>(1, segments.facts.max().item<int64_t>());
  const torch::Tensor fact = torch::arange(most, segments.facts.options());
  torch::Tensor slot = fact.expand({segments.facts.size(0), most});  // [B, facts], by fact
  if (is_training() && options_.empty_slots > 0.0) {
    slot =
        slot + nn::draw_uniform(slot.sizes()).lt(options_.empty_slots).cumsum(1).to(slot.device());
  }
  const torch::Tensor last = slot.masked_fill(fact.ge(segments.facts.unsqueeze(1)), -1).amax(1);
  const int64_t count =
      std::min(options_.slots, std::max<int64_t>(1, last.max().item<int64_t>() + 1));
  const torch::Tensor number = torch::arange(count, segments.facts.options());
  const torch::Tensor of_word =
      slot.gather(1, segments.fact.clamp_min(0))
          .masked_fill(segments.words.logical_and(segments.fact.ge(0)).logical_not(),
                       -1);  // [B, S]
  return {of_word.unsqueeze(1).eq(number.view({1, -1, 1})).to(like.scalar_type()),
          number.unsqueeze(0).le(last.unsqueeze(1))};
}

torch::Tensor MemoryEncoder::weights(const torch::Tensor& energies,
                                     const torch::Tensor& present) const {
  if (options_.weights == FactWeights::linear) return energies * present;
  // The lowest energy is finite, so that a line without facts has zero weights instead of NaN.
  return energies.masked_fill(present.logical_not(), -1e30).softmax(1) * present;
}

torch::Tensor MemoryEncoder::next_question(const torch::Tensor& question) const {
  return between_ ? between_->forward(question) : question;
}

MemoryEncoder::Read MemoryEncoder::read(const nn::IndexedRows& embedded,
                                        const data::SentenceBatch& source,
                                        const Segments& segments) const {
  torch::Tensor x = embedded.all();
  nn::check_shape(x, {source.ids.size(0), source.ids.size(1), nn::kAny}, "Encoder embedded");
  const WordParts parts = parts_of(options_);
  Read result{{}, {}, slots_of(segments, x)};
  const torch::Tensor encoding = options_.words == FactWords::position
                                     ? segments.position_encoding(size_, x)
                                     : torch::Tensor();
  const auto part = [&](int64_t index) {
    const torch::Tensor vectors = x.narrow(2, index * size_, size_);
    return encoding.defined() ? vectors * encoding : vectors;
  };
  const torch::Tensor times = times_->weight().narrow(0, 0, result.slots.words.size(1));
  const auto slots = [&](int64_t index) {
    return at::bmm(result.slots.words, part(index)) + times.narrow(1, index * size_, size_);
  };

  torch::Tensor question = zero_masked(segments.question, part(parts.question())).sum(1);  // [B, d]
  torch::Tensor looked = slots(0), found;
  for (int64_t hop = 0; hop < options_.count; ++hop) {
    const torch::Tensor energies = at::bmm(looked, question.unsqueeze(2));
    const torch::Tensor chosen = weights(energies.squeeze(2), result.slots.present);
    found = slots(parts.output(hop));
    question = next_question(question) + at::bmm(chosen.unsqueeze(1), found).squeeze(1);
    result.hops.push_back(chosen);
    if (parts.adjacent) looked = found;
  }
  const torch::Tensor is_question = segments.question.logical_or(source.ids.eq(text::kEos));
  const torch::Tensor outputs =
      at::bmm(result.slots.words.transpose(1, 2), found) +
      zero_masked(is_question, question.unsqueeze(1).expand({-1, x.size(1), -1}));
  result.output = {outputs, source.lengths_there(), source.mask, {{question, {}}}};
  return result;
}

}  // namespace attend::model
