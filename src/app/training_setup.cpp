#include "app/training_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include "app/model_options.h"
#include "app/output_directory.h"
#include "app/scratch_folder.h"
#include "config/load.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/random.h"
#include "data/corpus_cache.h"
#include "data/corpus_weights.h"
#include "decode/seq2seq_step_model.h"
#include "data/subword_sampler.h"
#include "data/tokenizer_models.h"
#include "kernels/panels.h"
#include "storage/model_folder.h"
#include "storage/weights_file.h"

namespace attend::app {
namespace {

/// Training reads its text more than once.
void check_can_be_reread(const std::string& file) {
  std::error_code ignored;
  const auto type = std::filesystem::status(file, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket ||
      type == std::filesystem::file_type::character) {
    throw DataError(file,
                    "this is a pipe or a device, which can be read once, and training reads its "
                    "text several times; give a file");
  }
  const LineReader opened(file);
}

void check_all(const data::ExampleFiles& files) {
  if (files.empty()) return;
  for (const config::NamedPath& source : files.sources) check_can_be_reread(source.path);
  check_can_be_reread(files.target);
}

/// A file that the config names for the token ids must not be one of something else.
void check_cache(const std::string& cache) {
  if (cache == "auto" || cache == "none" || data::may_keep_corpus_in(cache)) return;
  throw ConfigError(fmt::format(
      "data.cache: {} holds something else than token ids, which would be lost; name another file, "
      "auto or none",
      cache));
}

/// `directory`, or what exists of the way to it.
std::filesystem::path nearest_folder(std::filesystem::path directory) {
  directory = std::filesystem::absolute(directory);
  while (!std::filesystem::is_directory(directory) && directory.has_relative_path())
    directory = directory.parent_path();
  return directory;
}

/// .../runs/a.tokens beside runs/a, unless data.cache names a file.
std::filesystem::path kept_corpus(const std::string& cache,
                                  const std::filesystem::path& directory) {
  if (cache != "auto") return cache;
  auto path = std::filesystem::absolute(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path += ".tokens";
}

/// Where and under which key the training text of a run is kept.
struct Keeping {
  std::filesystem::path file;
  std::string key;
};

void keep(const Keeping& keeping, const data::TrainingText& text) {
  if (!data::may_keep_corpus_in(keeping.file)) {
    log::warning(
        "the token ids of the training text are not kept: {} holds something else, which would be "
        "lost; name another file as data.cache, or none",
        keeping.file.string());
    return;
  }
  try {
    std::filesystem::create_directories(keeping.file.parent_path());
    data::save_corpus(keeping.file, keeping.key, text);
  } catch (const Stopped&) {
    throw;
  } catch (const std::exception& error) {
    log::warning("the token ids of the training text are not kept: {}", error.what());
  }
}

int64_t count_parameters(const model::Seq2Seq& model) {
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

/// `folder`: where data.storage: mmap keeps its files. `to_keep`: what was read, for the next run.
data::TrainingText read_or_load(const Experiment& experiment, const data::TokenizerPair& tokenizers,
                                const std::vector<std::string>& tokenizer_models,
                                const std::filesystem::path& directory,
                                const std::filesystem::path& folder, bool to_keep) {
  const data::DataOptions& options = experiment.data;
  const std::vector<std::string>& links = experiment.training.guided_alignment.links;
  if (!links.empty() || options.cache == "none")
    return data::read_training_text(options, tokenizers, links, folder);
  const Keeping keeping{kept_corpus(options.cache, directory),
                        data::corpus_key(options, tokenizer_models)};
  const int64_t vocabulary = std::max(tokenizers.source.size(), tokenizers.target.size());
  data::ParallelCorpus empty(vocabulary, data::make_chunks(options.storage, folder),
                             data::count_sources(options));
  if (auto kept = data::load_corpus(keeping.file, keeping.key, vocabulary, std::move(empty))) {
    log::info("the token ids of the training text are those of {}", keeping.file.string());
    data::report_skipped(*kept, options);
    return std::move(*kept);
  }
  data::TrainingText text = data::read_training_text(options, tokenizers, links, folder);
  if (to_keep) keep(keeping, text);
  return text;
}

/// Weights that learned to write in one direction know nothing of the other.
void check_direction(const Experiment& experiment, const std::string& start) {
  const auto config = std::filesystem::path(start) / storage::model_folder::kConfig;
  const bool reversed = experiment.data.reverse_target;
  if (config::load<Experiment>(config).data.reverse_target == reversed) return;
  throw ConfigError(fmt::format(
      "data.reverse_target: {}, but the model to start from (training.init_from: {}) has {}; give "
      "it that value, or another model",
      reversed, start, !reversed));
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

void check_data_files(const Experiment& experiment) {
  for (const data::ExampleFiles& files : experiment.data.train) check_all(files);
  check_all(experiment.data.dev);
  check_cache(experiment.data.cache);
  for (const std::string& links : experiment.training.guided_alignment.links)
    check_can_be_reread(links);
}

RunData read_run_data(const Experiment& experiment, const data::TokenizerPair& tokenizers,
                      const std::vector<std::string>& tokenizer_models,
                      const std::filesystem::path& directory, bool to_keep) {
  const data::DataOptions& options = experiment.data;
  RunData data;
  data.folder = nearest_folder(directory);
  data::TrainingText text =
      read_or_load(experiment, tokenizers, tokenizer_models, directory, data.folder, to_keep);
  log::info("training text: {} of {} pairs, {} pieces", text.corpus.size(), text.lines,
            text.corpus.tokens());
  data::set_weights(text, options);
  if (!text.corpus.parts().empty())
    log::info("an epoch has {} pairs, by the weights", data::count_pairs_of_epoch(text.corpus));
  data.corpus = std::make_shared<const data::ParallelCorpus>(std::move(text.corpus));
  if (!options.dev.empty()) {
    data.dev = data::read_dev_set(options.dev, options.max_length, tokenizers);
    log::info("development text: {} pairs", data.dev->pairs.size());
  } else {
    log::warning(
        "the config names no data.dev: nothing is validated, and the last weights count "
        "as the best");
  }
  return data;
}

train::CorpusOfEpoch corpus_of_epoch(const Experiment& experiment, const RunData& data,
                                     const data::TokenizerPair& tokenizers) {
  const bool as_a_whole = !experiment.training.guided_alignment.links.empty();
  if (experiment.tokenizer.sampling == 0.0 || !as_a_whole) {
    return [corpus = data.corpus](uint64_t) { return corpus; };
  }
  return [&experiment, &tokenizers, corpus = data.corpus, folder = data.folder](uint64_t epoch) {
    const uint64_t seed =
        stream_seed(static_cast<uint64_t>(experiment.seed), "subword sampling", epoch);
    return std::make_shared<const data::ParallelCorpus>(
        data::resample(*corpus, experiment.data, tokenizers, experiment.tokenizer.sampling, seed,
                       experiment.training.guided_alignment.links, folder));
  };
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
    log::info("weights start from {}", file.string());
  }
  model->to(device);
  log::info("model: {} parameters, {} source and {} target pieces", count_parameters(*model),
            tokenizers.source.size(), tokenizers.target.size());
  return model;
}

void check_precision(const Experiment& experiment, c10::Device device) {
  const train::TrainingOptions& options = experiment.training;
  const bool translates = !experiment.data.dev.empty() && options.validation.beam > 0;
  if (translates) (void)decode::step_execution(experiment.decoding);
  if (options.precision != "bf16") return;
  if (device.is_cpu() && kernels::has_panels(kernels::Precision::bf16)) return;
  throw ConfigError(
      "training.precision: bf16 needs a CPU with AVX512_BF16 instructions (see /proc/cpuinfo), "
      "which is not what this run has; set it to f32");
}

void announce_kernels(const train::TrainingOptions& options, const model::Seq2Seq& model,
                      c10::Device device) {
  const bool bf16 = options.precision == "bf16";
  const bool fused = options.kernels == "fused" && device.is_cpu();
  log::info("training computes with {} in {}",
            fused ? "fused kernels" : "plain LibTorch operations",
            bf16 ? "bf16 products and f32 sums" : "f32");
  if (!fused) return;
  for (const std::string& part : model.plain_parts()) {
    log::info("without a fused form, so plain: {}", part);
  }
}

void adopt_tokenizers(Experiment& experiment) {
  const std::string& start = experiment.training.init_from;
  if (start.empty()) return;
  const auto weights = std::filesystem::path(start) / storage::model_folder::kBestWeights;
  if (!std::filesystem::exists(weights))
    throw ModelFileError(weights, "there are no weights to start from (training.init_from)");
  check_direction(experiment, start);
  if (!experiment.tokenizer.model.empty()) return;
  experiment.tokenizer.model = tokenizer_files(start);
  experiment.tokenizer.joint = experiment.tokenizer.model.size() == 1;
}

}  // namespace attend::app
train::CutPairs cut_of_batches(const Experiment& experiment,
                               const data::TokenizerPair& tokenizers) {
  const bool as_a_whole = !experiment.training.guided_alignment.links.empty();
  if (experiment.tokenizer.sampling == 0.0 || as_a_whole) return {};
  const auto sampler = std::make_shared<const data::SubwordSampler>(
      tokenizers, experiment.data, experiment.tokenizer.sampling,
      static_cast<uint64_t>(experiment.seed));
  return [sampler](const data::ParallelCorpus& corpus, std::span<const int64_t> pairs,
                   uint64_t epoch) { return sampler->cut(corpus, pairs, epoch); };
}

