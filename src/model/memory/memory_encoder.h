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
/// the slots of a memory: sums of their words' vectors (with position encoding or as a bag). The
/// sum of the question's word vectors, u, attends to the slots in hops:
///   p = softmax(u . m_i),  o = sum of p_i c_i,  u' = u + o   (tying layer_wise: u' = H u + o)
/// The paper's matrices A, B and C are parts of longer word vectors. With `adjacent`, hop k uses
/// part k for m and part k + 1 for c, and the question uses part 1. With `layer_wise`, every hop
/// uses part 1 for m and part 2 for c, and the question uses part 3. The m and c of a slot include
/// a vector for its time, counted back from the question. In training, empty slots are inserted at
/// random (Sec. 4.1, "random noise"). Facts beyond the number of slots are ignored.
///
/// The output at a word of a fact is the fact's c of the last hop. At a word of the question and at
/// the end of the line it is the final u, which is also the summary that an answer starts from.
class MemoryEncoder final : public Encoder {
 public:
  /// Throws ConfigError if the separator is unknown.
  MemoryEncoder(const MemoryEncoderOptions& options, int64_t embedding);

  [[nodiscard]] std::vector<EncoderOutput> encode(const nn::IndexedRows& embedded,
                                                  const data::SentenceBatch& source) const override;
  /// The trace has one layer per hop. The question attends as a whole, so all rows of a layer are
  /// equal. The weight of a fact is shared evenly among its words; a fact without words is not
  /// shown.
  [[nodiscard]] TracedEncoding trace(const nn::IndexedRows& embedded,
                                     const data::SentenceBatch& source) const override;
  /// Empty if hops use unnormalised energies as weights.
  [[nodiscard]] LayerHeads self_attention_heads() const override;
  [[nodiscard]] std::vector<EncoderShape> shapes() const override;

 private:
  /// Assignment of words to slots.
  struct Slots {
    torch::Tensor words;    // [B, G, S]: 1 for the words of a slot, else 0
    torch::Tensor present;  // [B, G] bool: true up to the last fact
  };
  struct Read {
    EncoderOutput output;
    std::vector<torch::Tensor> hops;  // [B, G] weights of each hop
    Slots slots;
  };
  [[nodiscard]] Read read(const nn::IndexedRows& embedded, const data::SentenceBatch& source,
                          const Segments& segments) const;
  [[nodiscard]] Slots slots_of(const Segments& segments, const torch::Tensor& like) const;
  /// Weights over slots, [B, G], from the energies.
  [[nodiscard]] torch::Tensor weights(const torch::Tensor& energies,
                                      const torch::Tensor& present) const;
  [[nodiscard]] torch::Tensor next_question(const torch::Tensor& question) const;

  HopOptions options_;
  text::TokenId separator_;
  text::TokenId blank_;
  int64_t size_;                          // d, the size of one part of a word vector
  std::shared_ptr<nn::Embedding> times_;  // [slots, number of parts for m and c times d]
  std::shared_ptr<nn::Linear> between_;   // H; null with tying adjacent
};

}  // namespace attend::model
