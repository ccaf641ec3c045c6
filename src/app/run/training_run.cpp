#include "app/run/training_run.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/run/contention_warning.h"
#include "app/run/disk_room.h"
#include "app/run/fingerprint.h"
#include "app/run/late_validation.h"
#include "app/run/report.h"
#include "app/run/run_validator.h"
#include "app/run/text_warnings.h"
#include "app/run/unknown_pieces.h"
#include "app/run/zero_score.h"
#include "core/byte_count.h"
#include "core/error.h"
#include "core/fault_point.h"
#include "core/log.h"
#include "core/signal.h"
#include "distributed/agreement.h"
#include "runtime/side_by_side.h"
#include "runtime/vector_instructions.h"
#include "train/together/joint_run.h"
#include "train/trainer.h"

namespace attend::app {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Resumes the run. Changes nothing in the folder before the state is read.
void resume(train::Trainer& trainer, const PlannedRun& run) {
  const train::ResumePoint from = trainer.resume();
  if (!from.damage.empty()) {
    log::warning("{}; resuming from the previous state, of update {}", from.damage,
                 from.point.update);
  }
  if (from.new_text) {
    log::warning("the training text has changed; epoch {:.0f} starts over",
                 from.point.epochs + 1.0);
  }
  if (!from.lost_best.empty()) {
    log::warning(
        "{}; the best weights of the run are lost, so those of the next validation become the "
        "best",
        from.lost_best);
  }
  if (!from.lost_history.empty())
    log::warning("{}; the curves in report.html stay incomplete", from.lost_history);
  log::info("resuming after update {}, epoch {:.2f}", from.point.update, from.point.epochs);
  remove_unfinished_files(run.directory);
  write_config(run.directory, run.experiment);
}

void report_end(const train::RunSummary& summary, const PlannedRun& run) {
  log::info("finished after {} updates, {:.2f} epochs, {:.1f} minutes: {}", summary.point.update,
            summary.point.epochs, summary.point.seconds / 60.0, summary.reason);
  if (summary.best.any) {
    log::info("best {} {:.4f} at update {}; the model is in {}",
              run.experiment.training.validation.metric == train::ValidationMetric::bleu
                  ? "BLEU"
                  : "negated loss",
              summary.best.merit.score, summary.best.update, run.directory.string());
  }
  if (summary.best.any && summary.best.update == 0) {
    log::warning(
        "no validation was better than the model that training started from (training.init_from), "
        "so {} holds its weights; a lower training.learning_rate may help",
        run_files(run.directory).best.string());
  }
}

/// The SentencePiece models, made by the first process for all.
std::vector<std::string> make_tokenizers(const PlannedRun& run, const data::Reading& reading,
                                         distributed::Communicator* peers) {
  const auto make = [&] { return run_models(run.experiment, run.directory, reading); };
  if (peers == nullptr) return make();
  const auto task = [&] {
    auto binary = nlohmann::json::array();
    for (const std::string& model : make())
      binary.push_back(nlohmann::json::binary({model.begin(), model.end()}));
    const std::vector<uint8_t> bytes = nlohmann::json::to_cbor(binary);
    return std::string(bytes.begin(), bytes.end());
  };
  std::vector<std::string> models;
  for (const auto& model : nlohmann::json::from_cbor(peers->decide(task))) {
    const auto& bytes = model.get_binary();
    models.emplace_back(bytes.begin(), bytes.end());
  }
  return models;
}

/// Throws ConfigError if tokenizer.sampling is set but a tokenizer has only one segmentation.
void check_sampling(const Experiment& experiment, const data::TokenizerPair& tokenizers) {
  if (experiment.tokenizer.sampling == 0.0) return;
  constexpr std::array<text::TokenId, 1> kAnyPiece = {text::kSpecialSymbols};
  for (const text::Tokenizer* tokenizer : {&tokenizers.source, &tokenizers.target})
    static_cast<void>(tokenizer->sample_again(kAnyPiece, experiment.tokenizer.sampling, 1));
}

/// How to read the text of a run.
struct HowToRead {
  bool keep;  // keep the token ids for the next run
  const data::Reading& reading;
};

/// The first process reads first, so that the others may find its token cache.
RunData read_data(const PlannedRun& run, const RunTokenizers& tokenizers,
                  const std::vector<std::string>& models, const HowToRead& how,
                  distributed::Communicator* peers) {
  const auto read = [&] {
    return read_run_data(run.experiment, tokenizers.pair(), models, run.directory,
                         how.keep && !run.follows, how.reading);
  };
  if (peers == nullptr) return read();
  std::optional<RunData> data;
  static_cast<void>(peers->decide([&] {
    data.emplace(read());
    return std::string();
  }));
  distributed::agree(peers, "the text", [&] {
    if (!data) data.emplace(read());
  });
  return std::move(*data);
}

/// Logs the disk use of the run, and throws DataError if there is no room for it.
void announce_files(const PlannedRun& run, const model::Seq2Seq& model) {
  double weights = 0.0;
  for (const torch::Tensor& parameter : model.parameters())
    weights += static_cast<double>(parameter.nbytes());
  const double expected = expected_run_bytes(run.experiment.training, weights);
  const double free = free_bytes(run.directory / ".");
  log::info("run files: {} (about {}; {} free)", run.directory.string(), byte_count(expected),
            byte_count(free));
  check_room_for_run(run.directory, expected, free + size_of_run(run.directory));
}

std::unique_ptr<RunReport> make_report(const PlannedRun& run) {
  return run.follows ? nullptr : std::make_unique<RunReport>(run.directory);
}

}  // namespace

PreparedRun prepare_run(const PlannedRun& run, c10::Device device, bool keep,
                        const data::Reading& reading, distributed::Communicator* peers) {
  const Experiment& experiment = run.experiment;
  mark_point("preparation begins");
  std::vector<std::string> models = make_tokenizers(run, reading, peers);
  mark_point("tokenizers are ready");
  RunTokenizers tokenizers(models, experiment.data);
  check_sampling(experiment, tokenizers.pair());
  RunData data = read_data(run, tokenizers, models, {keep, reading}, peers);
  // A resumed run has passed this check. If its tokenizers were exchanged, resuming says so.
  if (!run.resumed) check_unknown_pieces(*data.corpus, run.experiment.data.max_unknown);
  TrainedPieces pieces = count_pieces(*data.corpus, tokenizers.pair());
  if (data.dev) warn_of_other_text(*data.dev, tokenizers.known_texts(pieces));
  mark_point("text is ready");
  // The other processes receive the weights of the first process.
  auto model = make_model(experiment, tokenizers.pair(), device, run.resumed || run.follows);
  if (!run.follows) announce_files(run, *model);
  announce_kernels(experiment.training, *model, device);
  return {std::move(models), std::move(tokenizers), std::move(data), std::move(pieces),
          std::move(model)};
}

void check_same_run(const PlannedRun& run, const PreparedRun& prepared, const std::string& version,
                    int64_t threads, distributed::Communicator* peers) {
  if (peers == nullptr) return;
  const std::optional<data::DevSet>& dev = prepared.data.dev;
  // Instructions and threads must agree too, because each process updates its own weights, which
  // must be bit-identical.
  distributed::check_alike(
      peers, "the run",
      {{"the program", version},
       {"the config", fingerprint(run.asked)},
       {"BLEU's tokenizer (training.validation.tokenize)",
        std::string(enum_name(run.experiment.training.validation.tokenize))},
       {"the training text", fingerprint(*prepared.data.corpus)},
       {"the validation set", dev ? fingerprint(*dev) : "none"},
       {"the CPU instructions in use (ATTEND_MAX_CPU limits them)", runtime::kernel_instructions()},
       {"the number of threads (--threads)", std::to_string(threads)}});
}

void train_run(PlannedRun& run, const PreparedRun& prepared, train::TrainObserver& progress,
               distributed::Communicator* peers) {
  if (!run.resumed && !run.follows) {
    run.experiment = start_directory(run.directory, run.experiment, prepared.tokenizer_models);
  }
  const Experiment& experiment = run.experiment;
  const data::TokenizerPair tokenizers = prepared.tokenizers.pair();
  const std::optional<data::DevSet>& dev = prepared.data.dev;
  const auto validator = dev ? make_validator(experiment, *dev, tokenizers, peers) : nullptr;
  const auto report = make_report(run);
  ContentionWarning contention(runtime::threads());
  LateValidationWarning late_validation(experiment.training.validate_every);
  std::vector<train::TrainObserver*> all = {&progress};
  if (report) all.push_back(report.get());
  if (report && peers == nullptr) all.push_back(&contention);
  ZeroScoreWarning zero_score(experiment.training.validation);
  if (report && validator) all.insert(all.end(), {&late_validation, &zero_score});
  train::ObserverList observers(std::move(all));
  train::Trainer trainer({.model = *prepared.model,
                          .corpus = prepared.data.corpus,
                          .validator = validator.get(),
                          .observer = observers,
                          .files = run_files(run.directory),
                          .clock = seconds_now,
                          .target = &tokenizers.target,
                          .peers = peers,
                          .cut = cut_of_batches(experiment, tokenizers),
                          .dev_text = dev ? fingerprint(*dev) : "",
                          .train_text = fingerprint(*prepared.data.corpus),
                          .tokenizers = fingerprint(prepared.tokenizer_models)},
                         experiment.training, static_cast<uint64_t>(experiment.seed));
  if (run.resumed) resume(trainer, run);
  if (!run.follows) save_trained_pieces(run.directory, prepared.pieces);
  const train::RunSummary summary = trainer.run();
  report_end(summary, run);
  if (report) report->write();
}

}  // namespace attend::app
