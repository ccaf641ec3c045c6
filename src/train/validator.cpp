#include "train/validator.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "data/batch.h"
#include "data/batching.h"
#include "decode/search.h"
#include "decode/seq2seq_step_model.h"
#include "metrics/registry.h"
#include "text/vocabulary.h"
#include "train/evaluation_mode.h"
#include "train/teacher_forcing.h"

namespace attend::train {
namespace {

constexpr std::size_t kLossBatch = 64;  // sentences

std::vector<std::string> piece_texts(const text::Tokenizer& tokenizer,
                                     const std::vector<text::TokenId>& ids) {
  std::vector<std::string> texts;
  for (const text::TokenId id : ids) texts.push_back(tokenizer.piece(id));
  texts.push_back(tokenizer.piece(text::kEos));
  return texts;
}

/// The parts of `all` of at most `size` elements, in order.
std::vector<std::span<const int64_t>> portions(std::span<const int64_t> all, std::size_t size) {
  std::vector<std::span<const int64_t>> parts;
  for (std::size_t begin = 0; begin < all.size(); begin += size) {
    parts.push_back(all.subspan(begin, std::min(size, all.size() - begin)));
  }
  return parts;
}

/// Of one that was written from the end: tokens and rows of attention, the end symbol's last.
decode::Hypothesis in_reading_order(decode::Hypothesis translation) {
  const auto tokens = std::ssize(translation.tokens);
  std::ranges::reverse(translation.tokens);
  torch::Tensor& rows = translation.attention;
  if (rows.defined()) rows = torch::cat({rows.slice(0, 0, tokens).flip(0), rows.slice(0, tokens)});
  return translation;
}

}  // namespace

struct DevSetValidator::Translations {
  std::vector<std::string> lines;  // one per sentence in use
  std::vector<Sample> samples;
};

double perplexity(double loss) {
  return std::exp(loss);
}

double score_of(const ValidationResult& result, const std::string& metric) {
  const double score = metric == "bleu" && result.bleu ? *result.bleu : -result.loss;
  return std::isfinite(score) ? score : std::numeric_limits<double>::lowest();
}

DevSetValidator::DevSetValidator(const data::DevSet& text, const data::TokenizerPair& tokenizers,
                                 const ValidationOptions& options,
                                 const decode::DecodingOptions& decoding,
                                 std::function<void()> between_batches)
    : text_(text),
      tokenizers_(tokenizers),
      options_(options),
      decoding_(decoding),
      execution_(options.beam > 0 ? decode::step_execution(decoding) : decode::StepExecution()),
      between_batches_(std::move(between_batches)) {
  decoding_.beam = options.beam;
  const int64_t all = text.pairs.size();
  const int64_t used = options.max_sentences > 0 ? std::min(all, options.max_sentences) : all;
  by_length_.resize(static_cast<std::size_t>(used));
  std::iota(by_length_.begin(), by_length_.end(), 0);
  std::stable_sort(by_length_.begin(), by_length_.end(), [&](int64_t a, int64_t b) {
    return text.pairs.source_length(a) < text.pairs.source_length(b);
  });
}

ValidationResult DevSetValidator::validate(model::Seq2Seq& model) {
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation(model);
  ValidationResult result;
  result.loss = loss(model);
  if (options_.beam > 0) {
    Translations translations = translate(model);
    result.bleu = bleu(translations.lines);
    result.samples = std::move(translations.samples);
  }
  return result;
}

double DevSetValidator::loss(const model::Seq2Seq& model) const {
  double nll = 0.0;
  int64_t tokens = 0;
  for (const auto sentences : portions(by_length_, kLossBatch)) {
    between_batches_();
    const data::Batch batch = data::make_batch(text_.pairs, sentences).to(model.device());
    nll += teacher_forced_loss(model, batch, /*label_smoothing=*/0.0).nll.item<double>();
    tokens += batch.target_tokens;
  }
  return nll / static_cast<double>(tokens);
}

DevSetValidator::Translations DevSetValidator::translate(const model::Seq2Seq& model) const {
  Translations translations;
  translations.lines.resize(by_length_.size());
  const decode::Seq2SeqStepModel steps(model, execution_);
  // The empty ones, which stand first, stay empty: nothing is asked of the model, as `translate`
  // and `eval` do it.
  const auto first = std::ranges::find_if(
      by_length_, [this](int64_t sentence) { return text_.pairs.source_length(sentence) > 0; });
  for (auto empty = by_length_.begin(); empty != first; ++empty) {
    if (is_sample(*empty)) translations.samples.push_back(sample_of(*empty, {}));
  }
  for (const auto sentences : portions(std::span(first, by_length_.cend()),
                                       static_cast<std::size_t>(decoding_.batch_size))) {
    between_batches_();
    translate_batch(steps, sentences, translations);
  }
  return translations;
}

void DevSetValidator::translate_batch(const decode::StepModel& model,
                                      std::span<const int64_t> sentences,
                                      Translations& translations) const {
  data::Sentences sources;
  for (const int64_t sentence : sentences) sources.push_back(text_.pairs.source(sentence));
  decode::SearchOptions search_options;
  search_options.decoding = decoding_;
  search_options.keep_attention = std::any_of(
      sentences.begin(), sentences.end(), [this](int64_t sentence) { return is_sample(sentence); });
  const std::vector<decode::NBest> found =
      decode::search(model, {{data::frame_sources(std::move(sources))}, {}, {}}, search_options);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const decode::Hypothesis& best = found[i].front();
    translations.lines[static_cast<std::size_t>(sentences[i])] =
        tokenizers_.target.decode(best.tokens);
    if (is_sample(sentences[i])) translations.samples.push_back(sample_of(sentences[i], best));
  }
}

Sample DevSetValidator::sample_of(int64_t sentence, const decode::Hypothesis& translation) const {
  const auto line = static_cast<std::size_t>(sentence);
  const decode::Hypothesis reading = tokenizers_.target.order() == text::PieceOrder::kReversed
                                         ? in_reading_order(translation)
                                         : translation;
  return {text_.source()[line],
          text_.reference[line],
          tokenizers_.target.decode(translation.tokens),
          piece_texts(tokenizers_.source, text_.pairs.source(sentence)),
          piece_texts(tokenizers_.target, reading.tokens),
          reading.attention};
}

double DevSetValidator::bleu(const std::vector<std::string>& hypotheses) const {
  metrics::MetricOptions options;
  options.lowercase = options_.lowercase;
  options.bleu.tokenizer = options_.tokenize;
  const auto end = text_.reference.begin() + static_cast<std::ptrdiff_t>(hypotheses.size());
  const metrics::References references = {{text_.reference.begin(), end}};
  return metrics::corpus_score(*metrics::make_metric("bleu", options), hypotheses, references)
      .value;
}

bool DevSetValidator::is_sample(int64_t sentence) const {
  const auto sentences = static_cast<int64_t>(by_length_.size());
  const int64_t samples = std::min(options_.samples, sentences);
  if (samples == 0) return false;
  return sentence * samples / sentences != (sentence - 1) * samples / sentences || sentence == 0;
}

}  // namespace attend::train
