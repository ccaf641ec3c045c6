#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "model/seq2seq.h"
#include "train/trainer.h"

namespace attend::test {

/// Pairs of 1 to 6 tokens whose target is the source, over a vocabulary of kTinyVocabulary.
inline constexpr int64_t kTinyVocabulary = 12;
[[nodiscard]] std::shared_ptr<const data::ParallelCorpus> copy_corpus(int64_t pairs);

/// A small model with every kind of dropout at this probability.
[[nodiscard]] std::shared_ptr<model::Seq2Seq> tiny_model(double dropout = 0.1);

/// Three layers on each side, width 6, dropout of 0.1 around and inside them, all embeddings tied.
[[nodiscard]] std::shared_ptr<model::Seq2Seq> tiny_transformer();

/// Batches of 4 pairs, a log line after every 3 updates, a validation after every epoch.
[[nodiscard]] train::TrainingOptions tiny_options();

/// Returns these losses in turn, then the last one forever; always the same BLEU.
class ScriptedValidator final : public train::Validator {
 public:
  explicit ScriptedValidator(std::vector<double> losses) : losses_(std::move(losses)) {}

  [[nodiscard]] train::ValidationResult validate(model::Seq2Seq& model) override;

  int64_t calls = 0;
  std::optional<double> bleu = {};
  std::function<void(model::Seq2Seq&)> look = [](model::Seq2Seq&) {};

 private:
  std::vector<double> losses_;
};

/// Returns the loss on the training pairs, which depends only on the weights.
class CorpusLossValidator final : public train::Validator {
 public:
  explicit CorpusLossValidator(std::shared_ptr<const data::ParallelCorpus> corpus)
      : corpus_(std::move(corpus)) {}

  [[nodiscard]] train::ValidationResult validate(model::Seq2Seq& model) override;

 private:
  std::shared_ptr<const data::ParallelCorpus> corpus_;
};

/// Records all reports.
struct Recorder final : train::TrainObserver {
  void on_update(const train::UpdateReport& report) override;
  void on_interval(const train::IntervalReport& report) override { intervals.push_back(report); }
  void on_validation(const train::ValidationReport& report) override {
    validations.push_back(report);
  }
  void on_skip(const train::SkipReport& report) override { skips.push_back(report); }
  void on_split(const train::SplitReport& report) override { splits.push_back(report); }
  void on_save_error(const train::SaveErrorReport& report) override {
    save_errors.push_back(report);
  }

  std::vector<train::UpdateReport> updates;
  std::vector<train::IntervalReport> intervals;
  std::vector<train::ValidationReport> validations;
  std::vector<train::SkipReport> skips;
  std::vector<train::SplitReport> splits;
  std::vector<train::SaveErrorReport> save_errors;
  std::function<void(int64_t update)> after_update = [](int64_t) {};
};

/// The files of a run in `folder`.
[[nodiscard]] train::RunFiles files_in(const std::filesystem::path& folder);

/// One process of a run in `folder`: everything is new but the files.
struct TinyRun {
  explicit TinyRun(const std::filesystem::path& folder, train::Validator* validator = nullptr);

  [[nodiscard]] train::Trainer trainer();

  std::filesystem::path folder;
  std::shared_ptr<const data::ParallelCorpus> corpus = copy_corpus(17);
  std::shared_ptr<model::Seq2Seq> model = tiny_model();
  train::TrainingOptions options = tiny_options();
  train::Validator* validator;
  const text::Tokenizer* target = nullptr;
  distributed::Communicator* peers = nullptr;
  Recorder recorder;
  double time = 0.0;  // every reading of the clock adds one second
};

/// The lines of train.jsonl.
[[nodiscard]] std::vector<nlohmann::json> history(const std::filesystem::path& folder);
[[nodiscard]] std::vector<nlohmann::json> without_timing(std::vector<nlohmann::json> lines);

/// True if two weights files hold the same tensors, bit for bit.
[[nodiscard]] bool same_weights(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace attend::test
