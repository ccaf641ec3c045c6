#include "tests/train/tiny_run.h"

#include <torch/utils.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <variant>

#include "core/random.h"
#include "data/batching.h"
#include "storage/weights_file.h"
#include "tests/support/temp_dir.h"
#include "train/objective/teacher_forcing.h"

namespace attend::test {

std::shared_ptr<const data::ParallelCorpus> copy_corpus(int64_t pairs) {
  auto corpus = std::make_shared<data::ParallelCorpus>(kTinyVocabulary);
  Random random = stream(7, "copy corpus");
  for (int64_t line = 1; line <= pairs; ++line) {
    std::vector<text::TokenId> tokens(1 + random.below(6));
    for (text::TokenId& token : tokens) {
      token = text::kSpecialSymbols +
              static_cast<text::TokenId>(random.below(kTinyVocabulary - text::kSpecialSymbols));
    }
    corpus->add(tokens, tokens, line);
  }
  return corpus;
}

std::shared_ptr<model::Seq2Seq> tiny_model(double dropout) {
  model::ModelOptions options;
  options.embedding = 6;
  std::get<model::RecurrentEncoderOptions>(options.encoder).hidden = 5;
  std::get<model::RecurrentDecoderOptions>(options.decoder).hidden = 7;
  options.dropout = {.embedding = dropout,
                     .layer = dropout,
                     .recurrent = dropout,
                     .attention = dropout,
                     .output = dropout,
                     .word = {dropout, dropout, model::MaskPer::token, model::Replacement::zero}};
  auto model = std::make_shared<model::Seq2Seq>(options, kTinyVocabulary, kTinyVocabulary);
  model::initialize(*model, /*seed=*/1);
  return model;
}

std::shared_ptr<model::Seq2Seq> tiny_transformer() {
  model::ModelOptions options;
  options.embedding = 6;
  options.tie = model::Tie::all;
  const auto set = [](model::TransformerOptions& stack) {
    stack.layers = 3;
    stack.heads = 2;
    stack.feed_forward = 8;
  };
  set(options.encoder.emplace<model::TransformerEncoderOptions>());
  set(options.decoder.emplace<model::TransformerDecoderOptions>());
  options.attention.score = nn::ScoreKind::scaled_dot;
  options.attention.heads = 2;
  options.dropout.embedding = options.dropout.layer = 0.1;
  options.dropout.attention = options.dropout.feed_forward = 0.1;
  auto model = std::make_shared<model::Seq2Seq>(options, kTinyVocabulary, kTinyVocabulary);
  model::initialize(*model, /*seed=*/1);
  return model;
}

train::TrainingOptions tiny_options() {
  train::TrainingOptions options;
  options.learning_rate = 0.01;
  options.batch = {.size = 4, .unit = data::BatchUnit::sentences};
  options.label_smoothing = 0.1;
  options.validation.metric = train::ValidationMetric::loss;
  options.validation.beam = 0;
  options.validation.tokenize = train::BleuTokenizer::v13a;
  options.max_epochs = 3;
  options.log_every = 3;
  options.save_every = {.updates = 0, .minutes = 0.0};
  return options;
}

train::ValidationResult ScriptedValidator::validate(model::Seq2Seq& model) {
  look(model);
  const auto call = static_cast<std::size_t>(calls++);
  train::ValidationResult result;
  result.loss = losses_[std::min(call, losses_.size() - 1)];
  result.bleu = bleu;
  return result;
}

train::ValidationResult CorpusLossValidator::validate(model::Seq2Seq& model) {
  const torch::NoGradGuard no_grad;
  std::vector<int64_t> all(static_cast<std::size_t>(corpus_->size()));
  std::iota(all.begin(), all.end(), 0);
  const data::Batch batch = data::make_batch(*corpus_, all);
  model.eval();
  const double nll = train::teacher_forced_loss(model, batch, 0.0).nll.item<double>();
  model.train();
  train::ValidationResult result;
  result.loss = nll / static_cast<double>(batch.target_tokens);
  return result;
}

void Recorder::on_update(const train::UpdateReport& report) {
  updates.push_back(report);
  after_update(report.point.update);
}

train::RunFiles files_in(const std::filesystem::path& folder) {
  return {.folder = folder,
          .best = folder / "best.safetensors",
          .last = folder / "last.safetensors",
          .state = folder / "last.state",
          .history = folder / "train.jsonl"};
}

TinyRun::TinyRun(const std::filesystem::path& run_folder, train::Validator* run_validator)
    : folder(run_folder), validator(run_validator) {}

train::Trainer TinyRun::trainer() {
  return {{.model = *model,
           .corpus = corpus,
           .validator = validator,
           .observer = recorder,
           .files = files_in(folder),
           .clock = [this] { return time += 1.0; },
           .target = target,
           .peers = peers},
          options,
          /*seed=*/3};
}

std::vector<nlohmann::json> history(const std::filesystem::path& folder) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read_text(folder / "train.jsonl"));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::vector<nlohmann::json> without_timing(std::vector<nlohmann::json> lines) {
  for (nlohmann::json& line : lines) line.erase("timing");
  return lines;
}

bool same_weights(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto first = storage::load_tensors(a).tensors;
  const auto second = storage::load_tensors(b).tensors;
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && torch::equal(x.second, y.second);
                    });
}

}  // namespace attend::test
