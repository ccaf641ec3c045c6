#include "tests/decode/table_model.h"

#include <cmath>
#include <set>
#include <stdexcept>

#include "core/random.h"
#include "decode/scoring/candidates.h"

namespace attend::test {
namespace {

uint64_t mixed(uint64_t seed, const Tokens& source, const Tokens& so_far) {
  uint64_t value = seed;
  for (const auto token : source)
    value = stream_seed(value, "source", static_cast<uint64_t>(token));
  for (const auto token : so_far)
    value = stream_seed(value, "target", static_cast<uint64_t>(token));
  return value;
}

template <class Number>
std::vector<Number> random_shares(std::size_t count, double sharpness, Random random) {
  std::vector<Number> shares(count);
  double total = 0.0;
  for (auto& share : shares) {
    share = static_cast<Number>(std::exp(sharpness * random.uniform()));
    total += static_cast<double>(share);
  }
  for (auto& share : shares) share = static_cast<Number>(static_cast<double>(share) / total);
  return shares;
}

}  // namespace

class TableSession final : public decode::StepSession {
 public:
  TableSession(const TableModel& model, const data::SentenceBatch& source) : model_(model) {
    width_ = source.ids.size(1);
    for (int64_t b = 0; b < source.size(); ++b) {
      const auto length = source.lengths[b].item<int64_t>();
      auto& row = rows_.emplace_back();
      for (int64_t s = 0; s < length; ++s) {
        row.source.push_back(static_cast<text::TokenId>(source.ids[b][s].item<int64_t>()));
      }
    }
  }

  decode::StepScores step(const torch::Tensor& tokens) override {
    if (tokens.size(0) != static_cast<int64_t>(rows_.size())) throw std::logic_error("rows");
    model_.rows_per_step_.push_back(tokens.size(0));
    std::vector<torch::Tensor> log_probs;
    std::vector<torch::Tensor> weights;
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      const auto token =
          static_cast<text::TokenId>(tokens[static_cast<int64_t>(n)].item<int64_t>());
      if (token != text::kBos) rows_[n].so_far.push_back(token);
      log_probs.push_back(log_probs_of(rows_[n]));
      if (model_.table().attention && reads_attention_) weights.push_back(weights_of(rows_[n]));
    }
    torch::Tensor logits = torch::stack(log_probs);
    if (scored_.defined()) logits = logits.index_select(1, scored_);
    logits = own_.of(logits);
    if (weights.empty()) return {logits, {}, {}};
    const auto mean = torch::stack(weights);
    return {logits, mean, heads_of(mean)};
  }

  void skip_attention() override {
    reads_attention_ = false;
    ++model_.sessions_without_attention_;
  }

  void score_only(const decode::Candidates& candidates) override {
    scored_ = candidates.ids;
    own_ = decode::own_columns(candidates, torch::kCPU);
  }

  void select(const decode::RowSelection& selection) override {
    std::vector<RowState> rows;
    for (int64_t n = 0; n < selection.parents.size(0); ++n) {
      rows.push_back(rows_.at(static_cast<std::size_t>(selection.parents[n].item<int64_t>())));
    }
    if (selection.same_sentences) check_sentences(rows);
    rows_ = std::move(rows);
    own_.select(selection.parents);
  }

 private:
  struct RowState {
    Tokens source;
    Tokens so_far;
  };

  torch::Tensor log_probs_of(const RowState& row) const {
    const auto probabilities = model_.table().probabilities(row.source, row.so_far);
    return torch::tensor(probabilities, torch::kDouble).log().to(torch::kFloat);
  }

  torch::Tensor weights_of(const RowState& row) const {
    auto weights = model_.table().attention(row.source, row.so_far);
    weights.resize(static_cast<std::size_t>(width_), 0.0F);
    return torch::tensor(weights);
  }

  /// Head h is the mean times (h + 1), so that heads can be told apart.
  torch::Tensor heads_of(const torch::Tensor& mean) const {
    if (model_.table().heads == 1) return {};
    const auto factors = torch::arange(1, model_.table().heads + 1).to(torch::kFloat);
    return mean.unsqueeze(1) * factors.view({1, -1, 1});
  }

  void check_sentences(const std::vector<RowState>& rows) const {
    if (rows.size() != rows_.size()) throw std::logic_error("same_sentences, but other rows");
    for (std::size_t n = 0; n < rows.size(); ++n) {
      if (rows[n].source != rows_[n].source) throw std::logic_error("not the same sentence");
    }
  }

  const TableModel& model_;
  int64_t width_ = 0;
  bool reads_attention_ = true;
  std::vector<RowState> rows_;
  torch::Tensor scored_;  // undefined: all tokens
  nn::OwnColumns own_;
};

Table scrambled_table(int64_t vocabulary, uint64_t seed) {
  Table table;
  table.vocabulary = vocabulary;
  table.probabilities = [=](const Tokens& source, const Tokens& so_far) {
    Random random(mixed(seed, source, so_far));
    return random_shares<double>(static_cast<std::size_t>(vocabulary), 4.0, random);
  };
  table.attention = [=](const Tokens& source, const Tokens& so_far) {
    Random random(mixed(seed + 1, source, so_far));
    return random_shares<float>(source.size(), 2.0, random);
  };
  return table;
}

std::unique_ptr<decode::StepSession> TableModel::start(
    std::span<const data::SentenceBatch> sources) const {
  rows_per_step_.clear();
  return std::make_unique<TableSession>(*this, sources.front());
}

std::vector<Tokens> make_sources(std::initializer_list<int64_t> lengths) {
  std::vector<Tokens> sources;
  for (const auto length : lengths) {
    auto& source = sources.emplace_back(1, static_cast<text::TokenId>(10 + sources.size()));
    source.resize(static_cast<std::size_t>(length), 4);
    source.push_back(text::kEos);
  }
  return sources;
}

std::vector<decode::SearchSentence> sentences_of(const std::vector<Tokens>& sources) {
  std::vector<decode::SearchSentence> sentences;
  for (const Tokens& source : sources)
    sentences.push_back({.sources = {source}, .random_stream = sentences.size()});
  return sentences;
}

std::vector<decode::SearchSentence> twice(std::vector<decode::SearchSentence> sentences) {
  for (auto& sentence : sentences) sentence.sources.push_back(sentence.sources.front());
  return sentences;
}

double log_prob_of(const Table& table, const Tokens& source, const Tokens& tokens) {
  double sum = 0.0;
  Tokens so_far;
  const auto add = [&](text::TokenId token) {
    sum += std::log(table.probabilities(source, so_far)[static_cast<std::size_t>(token)]);
    so_far.push_back(token);
  };
  for (const auto token : tokens) add(token);
  add(text::kEos);
  return sum;
}

bool has_repeat(const Tokens& tokens, int64_t size) {
  std::set<Tokens> runs;
  for (auto run = tokens.begin(); tokens.end() - run >= size; ++run) {
    if (!runs.emplace(run, run + size).second) return true;
  }
  return false;
}

}  // namespace attend::test
