#include "app/run/training_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "app/model/model_options.h"
#include "app/model/scratch_folder.h"
#include "app/run/disk_room.h"
#include "app/run/kept_text.h"
#include "app/run/text_warnings.h"
#include "core/byte_count.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "data/corpus_cache.h"
#include "data/corpus_weights.h"
#include "data/pair_sampler.h"
#include "data/tokenizer_models.h"
#include "decode/step/seq2seq_step_model.h"
#include "kernels/cpu/instructions.h"
#include "kernels/product/panels.h"
#include "storage/model_folder.h"
#include "storage/weights_file.h"

namespace attend::app {
namespace {

/// Rejects pipes and devices, because training reads its text more than once.
void check_can_be_reread(const std::string& file) {
  std::error_code ignored;
  const auto type = std::filesystem::status(file, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket ||
      type == std::filesystem::file_type::character) {
    throw DataError(file,
                    "is a pipe or a device, but training reads its text several times; give a "
                    "regular file");
  }
  const LineReader opened(file);
}

void check_all(const data::ExampleFiles& files) {
  if (files.empty()) return;
  for (const config::NamedPath& source : files.sources) check_can_be_reread(source.path);
  check_can_be_reread(files.target);
}

/// Throws ConfigError if data.cache names a file that is not a token cache.
void check_cache(const data::DataOptions& options) {
  const bool names_a_file = !options.caches_beside_the_run() && !options.caches_nothing();
  if (!names_a_file || data::may_keep_corpus_in(options.cache)) return;
  throw ConfigError(fmt::format(
      "data.cache: {} is not a token cache; refusing to overwrite it. Give another file, auto or "
      "none",
      options.cache));
}

/// Returns true if the run uses a token cache.
bool uses_cache(const Experiment& experiment) {
  return experiment.training.guided_alignment.links.empty() && !experiment.data.caches_nothing();
}

/// The key of the trained tokenizers; empty if none is trained.
std::string models_key(const Experiment& experiment) {
  if (!experiment.tokenizer.model.empty()) return "";
  return data::tokenizer_key(experiment.data, experiment.tokenizer);
}

/// The token cache of a run: its file, its key, and the tokenizers kept in it.
struct Keeping {
  std::filesystem::path file;
  std::string key;
  data::KeptModels models;
};

/// Logs the expected disk use, and throws DataError if the disk has no room for a file that the
/// config asks for. The default token cache may fail later, with a warning.
void announce_disk_use(const data::DataOptions& options, const std::filesystem::path& folder,
                       const std::filesystem::path& file, bool to_keep) {
  const double expected = expected_token_bytes(options);
  if (options.storage == data::Storage::mmap) {
    log::info("data.storage: mmap uses about {} in {} during the run", byte_count(expected),
              folder.string());
    check_room(folder / ".", expected, free_bytes(folder / "."), "data.storage");
  }
  if (!to_keep) return;
  log::info("token cache: {} (about {}; {} free)", file.string(), byte_count(expected),
            byte_count(free_bytes(file)));
  if (!options.caches_beside_the_run()) check_room(file, expected, free_bytes(file), "data.cache");
}

void keep(const Keeping& keeping, const data::TrainingText& text) {
  if (!data::may_keep_corpus_in(keeping.file)) {
    log::warning(
        "token cache not written: {} is not a token cache; refusing to overwrite it. Set "
        "data.cache "
        "to another file or none",
        keeping.file.string());
    return;
  }
  try {
    std::filesystem::create_directories(keeping.file.parent_path());
    data::save_corpus(keeping.file, keeping.key, text, keeping.models);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    log::warning("token cache not written: {}", error.what());
  }
}

int64_t count_parameters(const model::Seq2Seq& model) {
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

/// How to read the training text of a run.
struct TextReading {
  const data::TokenizerPair& tokenizers;
  const std::vector<std::string>& tokenizer_models;
  std::filesystem::path directory;  // of the run
  std::filesystem::path folder;     // for the files of data.storage: mmap
  bool to_keep = false;             // write the token cache
  const data::Reading& reading;
};

data::TrainingText read_text(const Experiment& experiment, const TextReading& how) {
  return data::read_training_text(experiment.data, how.tokenizers,
                                  experiment.training.guided_alignment.links, how.folder,
                                  how.reading);
}

std::optional<data::TrainingText> load_text(const Experiment& experiment, const TextReading& how,
                                            const Keeping& keeping) {
  const auto& [source, target] = how.tokenizers;
  return data::load_corpus(keeping.file, {keeping.key, std::max(source.size(), target.size()),
                                          data::count_sources(experiment.data),
                                          experiment.data.storage == data::Storage::mmap});
}

data::TrainingText read_or_load(const Experiment& experiment, const TextReading& how) {
  const data::DataOptions& options = experiment.data;
  const auto file = uses_cache(experiment) ? kept_text_file(experiment, how.directory) : "";
  if (!uses_cache(experiment)) {
    announce_disk_use(options, how.folder, file, false);
    return read_text(experiment, how);
  }
  const Keeping keeping{file,
                        data::corpus_key(options, how.tokenizer_models),
                        {models_key(experiment), how.tokenizer_models}};
  if (auto kept = load_text(experiment, how, keeping)) {
    log::info("training set: loaded from the token cache {}", keeping.file.string());
    data::report_skipped(*kept, options);
    return std::move(*kept);
  }
  announce_disk_use(options, how.folder, file, how.to_keep);
  data::TrainingText text = read_text(experiment, how);
  if (!how.to_keep) return text;
  keep(keeping, text);
  if (options.storage == data::Storage::memory) return text;
  auto kept = load_text(experiment, how, keeping);  // read the file that other runs share
  return kept ? std::move(*kept) : std::move(text);
}

/// Sets the weights of the texts. Called before the folder changes, because it throws if no pairs
/// are left.
void weigh(data::TrainingText& text, const data::DataOptions& options) {
  data::set_weights(text, options);
  if (text.corpus.parts().empty()) return;
  const int64_t pairs = data::count_pairs_of_epoch(text.corpus);
  if (pairs == 0)
    throw DataError("an epoch has no training pairs; raise the weights in data.train");
  log::info("pairs per epoch after weighting: {}", pairs);
}

}  // namespace

RunTokenizers::RunTokenizers(const std::vector<std::string>& models,
                             const data::DataOptions& options) {
  const ScratchFolder scratch;
  std::vector<std::filesystem::path> files;
  for (const std::string& model : models) {
    files.push_back(scratch.path() / fmt::format("{}.model", files.size()));
    write_file_atomically(files.back(), model);
  }
  tokenizers_ = load_tokenizers(files, options);
}

data::TokenizerPair RunTokenizers::pair() const {
  return {*tokenizers_.source, *tokenizers_.target};
}

KnownTexts RunTokenizers::known_texts(const TrainedPieces& pieces) const {
  return {tokenizers_.source, tokenizers_.target, pieces};
}

void check_data_files(const Experiment& experiment) {
  for (const data::ExampleFiles& files : experiment.data.train) check_all(files);
  check_all(experiment.data.dev);
  check_cache(experiment.data);
  for (const std::string& links : experiment.training.guided_alignment.links)
    check_can_be_reread(links);
  for (const std::string& links : experiment.data.terms.links) check_can_be_reread(links);
}

std::vector<std::string> run_models(const Experiment& experiment,
                                    const std::filesystem::path& directory,
                                    const data::Reading& reading) {
  if (uses_cache(experiment) && experiment.tokenizer.model.empty()) {
    const auto file = kept_text_file(experiment, directory);
    auto models = data::load_models(file, models_key(experiment));
    if (!models.empty()) {
      log::info("tokenizers: loaded from the token cache {}", file.string());
      return models;
    }
  }
  return data::tokenizer_models(experiment.tokenizer, experiment.data, reading);
}

RunData read_run_data(const Experiment& experiment, const data::TokenizerPair& tokenizers,
                      const std::vector<std::string>& tokenizer_models,
                      const std::filesystem::path& directory, bool to_keep,
                      const data::Reading& reading) {
  const data::DataOptions& options = experiment.data;
  RunData data;
  data::TrainingText text = read_or_load(experiment, {tokenizers, tokenizer_models, directory,
                                                      nearest_folder(directory), to_keep, reading});
  const int64_t pairs = text.corpus.plain_size();
  log::info("training set: {} of {} pairs, {} pieces", pairs, text.lines, text.corpus.tokens());
  if (!options.terms.empty())
    log::info("copies of pairs with marked terms: {}", text.corpus.size() - pairs);
  warn_of_small_corpus(pairs);
  weigh(text, options);
  data.corpus = std::make_shared<const data::ParallelCorpus>(std::move(text.corpus));
  if (!options.dev.empty()) {
    data.dev = data::read_dev_set(options.dev, options.max_length, tokenizers, options.protect);
    log::info("validation set: {} pairs", data.dev->pairs.size());
    warn_of_unspaced_text(*data.dev, experiment.training.validation);
    warn_of_changed_references(*data.dev, tokenizers.target, options.protect);
  } else {
    log::warning(
        "no data.dev in the config: training runs without validation, and the last weights are "
        "kept "
        "as the best");
  }
  return data;
}

train::CutPairs cut_of_batches(const Experiment& experiment,
                               const data::TokenizerPair& tokenizers) {
  if (experiment.tokenizer.sampling == 0.0 && experiment.data.augment.sum() == 0.0) return {};
  const auto sampler = std::make_shared<const data::PairSampler>(
      tokenizers, experiment.data, experiment.tokenizer.sampling,
      static_cast<uint64_t>(experiment.seed));
  return [sampler](const data::ParallelCorpus& corpus, std::span<const int64_t> pairs,
                   uint64_t epoch) { return sampler->cut(corpus, pairs, epoch); };
}

std::shared_ptr<model::Seq2Seq> make_model(const Experiment& experiment,
                                           const data::TokenizerPair& tokenizers,
                                           c10::Device device, bool resumed) {
  auto model = std::make_shared<model::Seq2Seq>(model_options(experiment, tokenizers.source),
                                                tokenizers.source.size(), tokenizers.target.size());
  model::initialize(*model, static_cast<uint64_t>(experiment.seed));
  const std::string& start = experiment.training.init_from;
  if (!start.empty() && !resumed) {
    const auto file = std::filesystem::path(start) / storage::model_folder::kBestWeights;
    storage::set_weights(*model, storage::load_tensors(file).tensors, file);
    log::info("initial weights: {}", file.string());
  }
  model->to(device);
  log::info("model: {} parameters, {} source and {} target pieces", count_parameters(*model),
            tokenizers.source.size(), tokenizers.target.size());
  return model;
}

void check_precision(const Experiment& experiment, c10::Device device) {
  const train::TrainingOptions& options = experiment.training;
  const bool translates = !experiment.data.dev.empty() && options.validation.beam > 0;
  if (translates) (void)decode::step_execution(experiment.decoding, device);
  if (!device.is_cpu() || options.precision == train::Precision::f32) return;
  if (options.precision == train::Precision::tf32)
    throw ConfigError(
        "training.precision: tf32 is for GPUs, but this runs on the CPU; set it to f32");
  if (kernels::has_panels(kernels::Precision::bf16)) return;
  throw ConfigError(
      "training.precision: bf16 needs a CPU with AVX512_BF16 instructions (see /proc/cpuinfo), "
      "allowed by ATTEND_MAX_CPU; set it to f32");
}

namespace {

std::string describe_products(const train::TrainingOptions& options) {
  switch (options.precision) {
    case train::Precision::f32:
      return "f32";
    case train::Precision::tf32:
      return "f32 with products in TF32";
    case train::Precision::bf16:
      return "bf16 products and f32 sums";
  }
  return "";
}

}  // namespace

void announce_kernels(const train::TrainingOptions& options, const model::Seq2Seq& model,
                      c10::Device device) {
  const bool bf16 = options.precision == train::Precision::bf16;
  const bool fused = options.kernels == decode::KernelKind::fused && device.is_cpu();
  const bool on_device = options.kernels == decode::KernelKind::fused && !device.is_cpu();
  log::info("training uses {} in {}",
            fused       ? "fused kernels"
            : on_device ? "operations for GPUs"
                        : "plain LibTorch operations",
            describe_products(options));
  if (!fused) return;
  const bool amx = kernels::instructions_in_use() == kernels::Instructions::amx;
  if (!bf16 && amx && model.plain_parts().empty()) {
    log::info(
        "this CPU has matrix units (AMX): training.precision=bf16 trains up to three times as fast "
        "at the same quality");
  }
  for (const std::string& part : model.plain_parts()) {
    log::info("no fused kernels for {}; it uses plain LibTorch operations", part);
  }
}

}  // namespace attend::app
