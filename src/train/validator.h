#pragma once
#include <torch/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_reader.h"
#include "data/dev_set.h"
#include "decode/hypothesis.h"
#include "decode/options.h"
#include "decode/seq2seq_step_model.h"
#include "model/seq2seq.h"
#include "train/options.h"

namespace attend::train {

/// A translation of the development text, to be looked at.
struct Sample {
  std::string source;
  std::string reference;
  std::string hypothesis;
  std::vector<std::string> source_pieces;  // columns of the attention, end symbol included
  std::vector<std::string> target_pieces;  // its rows, end symbol included
  torch::Tensor attention;                 // [T + 1, S] float; undefined for the wiring `none`
                                           // and for an empty source
};

/// What a model does on the development text.
struct ValidationResult {
  double loss = 0.0;           // nats per target token, kEos included, without label smoothing
  std::optional<double> bleu;  // 0 .. 100; nothing if nothing was translated
  std::vector<Sample> samples;
};

/// e^loss.
[[nodiscard]] double perplexity(double loss);

/// Larger is better: the BLEU, or the negated loss, by `metric` (bleu | loss); the least number if
/// it is not finite.
[[nodiscard]] double score_of(const ValidationResult& result, const std::string& metric);

/// Measures a model. Behind an interface so that tests of the loop need no search.
class Validator {
 public:
  virtual ~Validator() = default;
  /// The model comes back in the mode (training or not) that it had.
  [[nodiscard]] virtual ValidationResult validate(model::Seq2Seq& model) = 0;
};

/// Loss by teacher forcing, and BLEU of the detokenised output of beam search against the lines of
/// the file. An empty source is translated to nothing, as everywhere.
class DevSetValidator final : public Validator {
 public:
  /// `between_batches` is called before each batch and may throw, which ends the validation. The
  /// beam of `options` replaces that of `decoding`. `text` and `tokenizers` are borrowed.
  /// Throws UsageError if it is to translate in a precision that this CPU or program lacks.
  DevSetValidator(const data::DevSet& text, const data::TokenizerPair& tokenizers,
                  const ValidationOptions& options, const decode::DecodingOptions& decoding,
                  std::function<void()> between_batches);

  [[nodiscard]] ValidationResult validate(model::Seq2Seq& model) override;

 private:
  struct Translations;

  [[nodiscard]] double loss(const model::Seq2Seq& model) const;
  [[nodiscard]] Translations translate(const model::Seq2Seq& model) const;
  void translate_batch(const decode::StepModel& model, std::span<const int64_t> sentences,
                       Translations& translations) const;
  [[nodiscard]] Sample sample_of(int64_t sentence, const decode::Hypothesis& translation) const;
  [[nodiscard]] double bleu(const std::vector<std::string>& hypotheses) const;
  [[nodiscard]] bool is_sample(int64_t sentence) const;

  const data::DevSet& text_;
  data::TokenizerPair tokenizers_;
  ValidationOptions options_;
  decode::DecodingOptions decoding_;
  decode::StepExecution execution_;
  std::function<void()> between_batches_;
  std::vector<int64_t> by_length_;  // the sentences in use, shortest source first
};

}  // namespace attend::train
