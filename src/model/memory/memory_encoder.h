#pragma once
#include <memory>
#include <vector>

#include "model/encoder.h"
#include "model/memory/segments.h"
#include "model/options.h"
#include "nn/embedding.h"
#include "nn/linear.h"

namespace attend::model {

/// End-to-end memory network (Sukhbaatar et al. 2015, arXiv 1503.08895). The facts of a line are
/// the slots of a memory, sums of their words' vectors (with position encoding or as a bag), and
/// the question's sum u looks at them in hops:
///   p = softmax(u . m_i),  o = sum of p_i c_i,  u' = u + o   (tying layer_wise: u' = H u + o)
/// The paper's matrices A, B and C are parts of the words' vectors, which are so much longer. With
/// `adjacent`, hop k has part k for m and part k + 1 for c, and the question has part 1; with
/// `layer_wise`, every hop has the first for m, the second for c, and the question has the third.
/// To m and c of a slot a vector for its time is added, counted from the question backwards; in
/// training, empty slots are strewn in (Sec. 4.1, "random noise"). Facts beyond the number of slots
/// are not seen.
///
/// The output at a word of a fact is c of the last hop of that fact, and at a word of the question
/// and at the end what u is at last. That is the summary, too: what an answer begins with.
class MemoryEncoder final : public Encoder {
 public:
  /// Throws ConfigError if no separator is known.
  MemoryEncoder(const MemoryEncoderOptions& options, int64_t embedding);

  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  /// A layer for each hop. The question looks as a whole, so all rows of a layer are the same; what
  /// a fact gets is shared evenly among its words, and a fact without words shows none.
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  /// None where hops have energies for weights.
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;

 private:
  /// Which words make up which slots.
  struct Slots {
    torch::Tensor words;  // [B, G, S]: 1 for a slot's words, else 0
    torch::Tensor there;  // [B, G] bool: not beyond the last fact
  };
  struct Read {
    EncoderOutput output;
    std::vector<torch::Tensor> hops;  // [B, G] weights of each
    Slots slots;
  };
  [[nodiscard]] Read read(const nn::IndexedRows& embedded, const data::SentenceBatch& source,
                          const Segments& segments) const;
  [[nodiscard]] Slots slots_of(const Segments& segments, const torch::Tensor& like) const;
  /// Weights over slots, [B, G], of the energies.
  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& there) const;
  [[nodiscard]] torch::Tensor next_question(const torch::Tensor& question) const;

  HopOptions options_;
  text::TokenId separator_;
  int64_t size_;                          // d, of a part of a word's vector
  std::shared_ptr<nn::Embedding> times_;  // [slots, parts of m and c times d]
  std::shared_ptr<nn::Linear> between_;   // H; null with tying adjacent
};

}  // namespace attend::model
