#include "train/validator.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "data/batch.h"
#include "data/batching.h"
#include "decode/length_batches.h"
#include "decode/search/search.h"
#include "decode/step/seq2seq_step_model.h"
#include "distributed/agreement.h"
#include "text/vocabulary.h"
#include "train/evaluation_mode.h"
#include "train/objective/teacher_forcing.h"
#include "train/together/batch_share.h"

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

std::string source_text(const data::DevSet& text, std::size_t line) {
  std::string all = text.sources.front()[line];
  for (std::size_t side = 1; side < text.sources.size(); ++side)
    all += " ||| " + text.sources[side][line];
  return all;
}

/// Reverses a translation that was written from its end: its tokens and rows of attention, with the
/// end symbol's row last.
decode::Hypothesis in_reading_order(decode::Hypothesis translation) {
  const auto tokens = std::ssize(translation.tokens);
  std::ranges::reverse(translation.tokens);
  torch::Tensor& rows = translation.attention;
  if (rows.defined()) rows = torch::cat({rows.slice(0, 0, tokens).flip(0), rows.slice(0, tokens)});
  return translation;
}

}  // namespace

double perplexity(double loss) {
  return std::exp(loss);
}

metrics::MetricOptions metric_options(const ValidationOptions& options) {
  if (options.tokenize == BleuTokenizer::automatic)
    throw std::logic_error("training.validation.tokenize: auto was not replaced");
  metrics::MetricOptions metric;
  metric.lowercase = options.lowercase;
  metric.bleu.tokenizer = std::string(enum_name(options.tokenize));
  return metric;
}

double score_of(const ValidationResult& result, ValidationMetric metric) {
  const double score =
      metric == ValidationMetric::bleu && result.bleu ? *result.bleu : -result.loss;
  return std::isfinite(score) ? score : std::numeric_limits<double>::lowest();
}

Merit merit_of(const ValidationResult& result, ValidationMetric metric) {
  const double loss = std::isfinite(result.loss) ? result.loss : std::numeric_limits<double>::max();
  return {score_of(result, metric), loss};
}

DevSetValidator::DevSetValidator(const data::DevSet& text, const data::TokenizerPair& tokenizers,
                                 const ValidationOptions& options,
                                 const decode::DecodingOptions& decoding,
                                 std::function<void()> between_batches,
                                 distributed::Communicator* peers,
                                 std::unique_ptr<const ProtectedLines> lines)
    : text_(text),
      tokenizers_(tokenizers),
      options_(options),
      decoding_(decoding),
      between_batches_(std::move(between_batches)),
      peers_(peers),
      lines_(std::move(lines)),
      bleu_(metrics::make_metric("bleu", metric_options(options))) {
  decoding_.beam = options.beam;
  const int64_t all = text.pairs.size();
  const int64_t used = options.max_sentences > 0 ? std::min(all, options.max_sentences) : all;
  by_length_.resize(static_cast<std::size_t>(used));
  std::iota(by_length_.begin(), by_length_.end(), 0);
  std::stable_sort(by_length_.begin(), by_length_.end(), [&](int64_t a, int64_t b) {
    return text.pairs.source_length(a) < text.pairs.source_length(b);
  });
  for (const int64_t sentence : by_length_) {
    if (text.pairs.source_length(sentence) == 0) ++empty_;
    target_tokens_ += text.pairs.target_length(sentence) + 1;
  }
}

ValidationResult DevSetValidator::validate(model::Seq2Seq& model) {
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation(model);
  if (peers_ == nullptr) return result_of(find(model));
  const std::vector<std::string> notes =
      distributed::gather(*peers_, [&] { return find(model).written(); });
  if (notes.empty()) return {};
  Findings findings = read_findings(notes.front());
  for (std::size_t rank = 1; rank < notes.size(); ++rank) findings.add(read_findings(notes[rank]));
  return result_of(std::move(findings));
}

ValidationResult DevSetValidator::result_of(Findings findings) const {
  ValidationResult result;
  result.loss = std::accumulate(findings.nll.begin(), findings.nll.end(), 0.0) /
                static_cast<double>(target_tokens_);
  if (options_.beam > 0) result.bleu = bleu_->score(findings.statistics).value;
  for (auto& [place, sample] : findings.samples) result.samples.push_back(std::move(sample));
  return result;
}

Findings DevSetValidator::find(const model::Seq2Seq& model) const {
  Findings findings;
  findings.nll = find_loss(model);
  if (options_.beam > 0) translate(model, findings);
  return findings;
}

/// The pieces of a sentence's sources to translate, one source after another, with end symbols
/// between them.
std::vector<text::TokenId> DevSetValidator::source_pieces(int64_t sentence) const {
  if (lines_ != nullptr) return lines_->source(static_cast<std::size_t>(sentence));
  const data::ParallelCorpus& pairs = text_.pairs;
  std::vector<text::TokenId> pieces = pairs.source(sentence);
  for (std::size_t side = 1; side < pairs.sources(); ++side) {
    pieces.push_back(text::kEos);
    std::ranges::copy(pairs.source(sentence, side), std::back_inserter(pieces));
  }
  return pieces;
}

std::string DevSetValidator::written(int64_t sentence,
                                     const decode::Hypothesis& translation) const {
  if (lines_ == nullptr) return tokenizers_.target.decode(translation.tokens);
  return lines_->text(static_cast<std::size_t>(sentence), translation.tokens);
}

/// Batches are ordered by length, so taker() deals them back and forth.
bool DevSetValidator::is_mine(std::size_t batch) const {
  return peers_ == nullptr || taker(static_cast<int64_t>(batch), peers_->size()) == peers_->rank();
}

std::vector<double> DevSetValidator::find_loss(const model::Seq2Seq& model) const {
  std::vector<double> nll;
  const std::span<const int64_t> all(by_length_);
  for (std::size_t begin = 0; begin < all.size(); begin += kLossBatch) {
    nll.push_back(0.0);
    if (!is_mine(nll.size() - 1)) continue;
    between_batches_();
    const auto sentences = all.subspan(begin, std::min(kLossBatch, all.size() - begin));
    const data::Batch batch = data::make_batch(text_.pairs, sentences).to(model.device());
    nll.back() = teacher_forced_loss(model, batch, /*label_smoothing=*/0.0).nll.item<double>();
  }
  return nll;
}

/// Translates the sentences. Empty sources get empty translations without the model, as in
/// `translate` and `eval`.
void DevSetValidator::translate(const model::Seq2Seq& model, Findings& findings) const {
  findings.statistics.assign(bleu_->statistics_size(), 0.0);
  const decode::Seq2SeqStepModel steps(model, decode::step_execution(decoding_, model.device()));
  for (std::size_t place = 0; place < empty_ && is_mine(0); ++place) take(place, {}, findings);
  const auto batches = translation_batches();
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    if (!is_mine(batch)) continue;
    between_batches_();
    translate_batch(steps, batches[batch], findings);
  }
}

/// The batches to translate, as indices in by_length_.
std::vector<std::vector<std::size_t>> DevSetValidator::translation_batches() const {
  const std::span translated = std::span(by_length_).subspan(empty_);
  std::vector<std::size_t> lengths;
  for (const int64_t sentence : translated) lengths.push_back(source_pieces(sentence).size());
  auto batches = decode::length_batches(lengths, decode::batch_size_of(decoding_));
  for (auto& batch : batches) {
    for (std::size_t& place : batch) place += empty_;
  }
  return batches;
}

void DevSetValidator::translate_batch(const decode::StepModel& model,
                                      const std::vector<std::size_t>& places,
                                      Findings& findings) const {
  std::vector<decode::SearchSentence> sentences;
  decode::SearchOptions search_options;
  search_options.decoding = decoding_;
  search_options.keep_attention = false;
  for (const std::size_t place : places) {
    auto source = source_pieces(by_length_[place]);
    source.push_back(text::kEos);
    sentences.push_back({.sources = {std::move(source)}});
    search_options.keep_attention |= is_sample(by_length_[place]);
  }
  const std::vector<decode::NBest> found = decode::search(model, sentences, search_options);
  for (std::size_t i = 0; i < places.size(); ++i) take(places[i], found[i].front(), findings);
}

void DevSetValidator::take(std::size_t place, const decode::Hypothesis& translation,
                           Findings& findings) const {
  const int64_t sentence = by_length_[place];
  const std::string line = written(sentence, translation);
  const std::string_view reference = text_.reference[static_cast<std::size_t>(sentence)];
  findings.add(bleu_->segment_statistics(line, {&reference, 1}));
  if (is_sample(sentence))
    findings.samples.emplace(static_cast<int64_t>(place), sample_of(sentence, translation));
}

Sample DevSetValidator::sample_of(int64_t sentence, const decode::Hypothesis& translation) const {
  const auto line = static_cast<std::size_t>(sentence);
  const decode::Hypothesis reading = tokenizers_.target.order() == text::PieceOrder::kReversed
                                         ? in_reading_order(translation)
                                         : translation;
  return {.source = source_text(text_, line),
          .reference = text_.reference[line],
          .hypothesis = written(sentence, translation),
          .source_pieces = piece_texts(tokenizers_.source, source_pieces(sentence)),
          .target_pieces = piece_texts(tokenizers_.target, reading.tokens),
          .attention = reading.attention};
}

bool DevSetValidator::is_sample(int64_t sentence) const {
  const auto sentences = static_cast<int64_t>(by_length_.size());
  const int64_t samples = std::min(options_.samples, sentences);
  if (samples == 0) return false;
  return sentence * samples / sentences != (sentence - 1) * samples / sentences || sentence == 0;
}

}  // namespace attend::train
