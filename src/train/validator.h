#pragma once
#include <torch/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus_reader.h"
#include "data/dev_set.h"
#include "decode/options.h"
#include "decode/search/hypothesis.h"
#include "decode/step/seq2seq_step_model.h"
#include "distributed/communicator.h"
#include "metrics/metric.h"
#include "metrics/registry.h"
#include "model/seq2seq.h"
#include "train/findings.h"
#include "train/options.h"
#include "train/protected_lines.h"
#include "train/run_state.h"

namespace attend::train {

/// The result of a validation.
struct ValidationResult {
  double loss = 0.0;           // nats per target token, kEos included, without label smoothing
  std::optional<double> bleu;  // 0 .. 100; empty if nothing was translated
  std::vector<Sample> samples;
};

/// e^loss.
[[nodiscard]] double perplexity(double loss);

/// The score by `metric` (bleu | loss), larger is better: BLEU or the negated loss; the lowest
/// double if it is not finite.
[[nodiscard]] double score_of(const ValidationResult& result, ValidationMetric metric);

/// score_of() and the loss, which is the highest double if it is not finite.
[[nodiscard]] Merit merit_of(const ValidationResult& result, ValidationMetric metric);

/// The metric options that `options` give: `tokenize` and `lowercase`. Requires: `tokenize` is not
/// automatic.
[[nodiscard]] metrics::MetricOptions metric_options(const ValidationOptions& options);

/// Measures a model. An interface, so that tests of the loop need no search.
class Validator {
 public:
  virtual ~Validator() = default;
  /// Leaves the model in the mode (training or evaluation) that it had. With several processes all
  /// must call it; only the leader gets a result.
  [[nodiscard]] virtual ValidationResult validate(model::Seq2Seq& model) = 0;
};

/// Measures the loss by teacher forcing, and the BLEU of the detokenised output of beam search
/// against the lines of the file. An empty source gets an empty translation.
///
/// Several processes share the batches. Each batch is computed as one process would compute it, and
/// the results add up to the same (see Findings). If there are fewer batches (see
/// decode::batch_size_of()) than processes, some processes have nothing to do.
class DevSetValidator final : public Validator {
 public:
  /// `between_batches` is called before each batch. It may throw, which ends the validation; the
  /// leader rethrows what it throws in another process. options.beam replaces decoding.beam.
  /// `text`, `tokenizers` and `peers` are borrowed; null `peers`: only this process. `lines` reads
  /// and writes what is translated; null: the pieces of text.pairs are. Throws UsageError if
  /// translating needs a precision that this CPU or program lacks.
  DevSetValidator(const data::DevSet& text, const data::TokenizerPair& tokenizers,
                  const ValidationOptions& options, const decode::DecodingOptions& decoding,
                  std::function<void()> between_batches, distributed::Communicator* peers = nullptr,
                  std::unique_ptr<const ProtectedLines> lines = nullptr);

  [[nodiscard]] ValidationResult validate(model::Seq2Seq& model) override;

 private:
  [[nodiscard]] Findings find(const model::Seq2Seq& model) const;
  [[nodiscard]] std::vector<double> find_loss(const model::Seq2Seq& model) const;
  void translate(const model::Seq2Seq& model, Findings& findings) const;
  void translate_batch(const decode::StepModel& model, const std::vector<std::size_t>& places,
                       Findings& findings) const;
  void take(std::size_t place, const decode::Hypothesis& translation, Findings& findings) const;
  [[nodiscard]] std::vector<std::vector<std::size_t>> translation_batches() const;
  [[nodiscard]] std::vector<text::TokenId> source_pieces(int64_t sentence) const;
  [[nodiscard]] std::string written(int64_t sentence, const decode::Hypothesis& translation) const;
  [[nodiscard]] bool is_mine(std::size_t batch) const;
  [[nodiscard]] ValidationResult result_of(Findings findings) const;
  [[nodiscard]] Sample sample_of(int64_t sentence, const decode::Hypothesis& translation) const;
  [[nodiscard]] bool is_sample(int64_t sentence) const;

  const data::DevSet& text_;
  data::TokenizerPair tokenizers_;
  ValidationOptions options_;
  decode::DecodingOptions decoding_;
  std::function<void()> between_batches_;
  distributed::Communicator* peers_;
  std::unique_ptr<const ProtectedLines> lines_;  // null: nothing is protected
  std::unique_ptr<metrics::Metric> bleu_;
  std::vector<int64_t> by_length_;  // sentences in use, shortest source first
  std::size_t empty_ = 0;           // sentences with an empty source, at the front of by_length_
  int64_t target_tokens_ = 0;       // of all sentences in use, kEos included
};

}  // namespace attend::train
