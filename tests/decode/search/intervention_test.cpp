// Constraints, forced attention, the beam tree and alternatives of a search.
#include <gmock/gmock.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "decode/forced/alternatives.h"
#include "decode/forced/forced.h"
#include "decode/forced/word_blocks.h"
#include "decode/search/beam_tree.h"
#include "decode/search/no_output.h"
#include "decode/search/search.h"
#include "decode/step/seq2seq_step_model.h"
#include "tests/decode/small_pairs.h"
#include "tests/decode/table_model.h"

namespace attend::decode {
namespace {

using model::WiringKind;
using test::small_model;
using test::small_options;
using test::small_sources;
using test::small_targets;
using test::Tokens;

SearchOptions some_best(int64_t beam) {
  SearchOptions options;
  options.decoding.beam = beam;
  options.decoding.max_length_ratio = 0.0;
  options.n_best = beam;
  return options;
}

/// Forbids a token at the second position.
class NotSecond final : public OutputConstraint {
 public:
  explicit NotSecond(text::TokenId token) : token_(token) {}
  void forbid(std::span<const text::TokenId> tokens, torch::Tensor row) const override {
    if (tokens.size() == 1) row[token_].fill_(-std::numeric_limits<double>::infinity());
  }

 private:
  text::TokenId token_;
};

TEST(OutputConstraint, IsKeptBySentencesThatHaveIt) {
  const auto sources = test::make_sources({3, 5, 3});
  const test::TableModel model(test::scrambled_table(7, 2));
  const auto free = search(model, test::sentences_of(sources), some_best(5));
  const auto longest = std::max_element(free[0].begin(), free[0].end(), [](auto& a, auto& b) {
    return a.tokens.size() < b.tokens.size();
  });
  ASSERT_GE(longest->tokens.size(), 2);
  auto input = test::sentences_of(sources);
  input[0].constraint = std::make_shared<NotSecond>(longest->tokens[1]);
  const auto found = search(model, input, some_best(5));
  for (const Hypothesis& hypothesis : found[0]) {
    EXPECT_FALSE(hypothesis.tokens.size() > 1 && hypothesis.tokens[1] == longest->tokens[1]);
    EXPECT_NEAR(hypothesis.log_prob,
                test::log_prob_of(model.table(), sources[0], hypothesis.tokens), 1e-4)
        << "the probability is the model's";
  }
  for (const std::size_t s : {1, 2}) {
    for (std::size_t i = 0; i < free[s].size(); ++i)
      EXPECT_EQ(found[s][i].tokens, free[s][i].tokens) << "another sentence's";
  }
}

class Nothing final : public OutputConstraint {
 public:
  void forbid(std::span<const text::TokenId>, torch::Tensor row) const override {
    row.fill_(-std::numeric_limits<double>::infinity());
  }
};

TEST(OutputConstraint, IsTheUsersMistakeWhereItForbidsEverything) {
  const test::TableModel model(test::scrambled_table(7, 2));
  const auto sources = test::make_sources({3, 4});
  auto input = test::sentences_of(sources);
  input[1].constraint = std::make_shared<Nothing>();
  try {
    (void)search(model, input, some_best(2));
    FAIL() << "nothing was thrown";
  } catch (const NoOutput& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::kUsage) << error.what();
    EXPECT_EQ(error.sentence(), 1);
  }
}

/// Memory that consists only of position s.
nn::PreparedMemory narrowed(const nn::PreparedMemory& memory, int64_t s) {
  return {{memory.memory.keys.narrow(1, s, 1), memory.memory.values.narrow(1, s, 1),
           memory.memory.mask.narrow(1, s, 1), torch::ones({1}, torch::kInt64)},
          memory.keys.narrow(1, s, 1),
          {},
          {}};
}

/// The log-probability of tokens and kEos if position `t` attends to source position `s` alone.
double log_prob_with_look(const model::Seq2Seq& model, const Tokens& source, Tokens tokens,
                          std::size_t t, int64_t s) {
  const torch::NoGradGuard no_grad;
  tokens.push_back(text::kEos);
  const model::Encoded encoded = model.encode(data::pad(test::Sentences{source}));
  model::DecoderState state = encoded.start;
  torch::Tensor before = torch::tensor({int64_t{text::kBos}});
  double sum = 0.0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto memories =
        i == t ? model::Memories{narrowed(encoded.memories.front(), s)} : encoded.memories;
    const model::Predicted step = model.step(before, memories, state);
    sum += step.logits.log_softmax(1)[0][tokens[i]].item<double>();
    state = step.state;
    before = torch::tensor({int64_t{tokens[i]}});
  }
  return sum;
}

class ForcedLook : public testing::TestWithParam<std::tuple<WiringKind, bool>> {};

TEST_P(ForcedLook, MakesAPositionSeeOneSourceWordAlone) {
  const auto [wiring, fused] = GetParam();
  const auto model = small_model(small_options(wiring));
  const Seq2SeqStepModel steps(*model, {.fused = fused});
  auto input = test::sentences_of(small_sources());
  const auto free = search(steps, input, some_best(4));
  input[1].forced_attention = {{1, 2}};
  const auto found = search(steps, input, some_best(4));
  for (const Hypothesis& hypothesis : found[1]) {
    EXPECT_NEAR(hypothesis.log_prob,
                log_prob_with_look(*model, small_sources()[1], hypothesis.tokens, 1, 2), 1e-4);
    if (hypothesis.tokens.empty()) continue;
    EXPECT_EQ(hypothesis.attention[1][2].item<float>(), 1.0F);
    EXPECT_EQ(hypothesis.attention[1].sum().item<float>(), 1.0F);
  }
  for (const std::size_t s : {0, 2}) {
    EXPECT_EQ(found[s].front().tokens, free[s].front().tokens) << "another sentence's";
    EXPECT_NEAR(found[s].front().log_prob, free[s].front().log_prob, 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Wirings, ForcedLook,
                         testing::Combine(testing::Values(WiringKind::luong, WiringKind::bahdanau,
                                                          WiringKind::conditional),
                                          testing::Bool()),
                         [](const auto& test) {
                           return std::string(enum_name(std::get<0>(test.param))) +
                                  (std::get<1>(test.param) ? "_fused" : "_plain");
                         });

/// Records every prefix of the live hypotheses.
class Beginnings final : public SearchControl {
 public:
  void on_step(const SearchStep& step) override {
    for (const LiveHypothesis& live : step.live()) known[live.tokens] = live.log_prob;
  }
  std::map<Tokens, double> known;
};

Tokens tokens_of(const BeamTree& tree, std::size_t node) {
  Tokens tokens;
  for (auto n = static_cast<int64_t>(node); n > 0;
       n = tree.nodes()[static_cast<std::size_t>(n)].parent)
    tokens.insert(tokens.begin(), tree.nodes()[static_cast<std::size_t>(n)].token);
  return tokens;
}

TEST(BeamTree, HoldsWhatWasInTheBeam) {
  const auto sources = test::make_sources({4});
  const test::TableModel model(test::scrambled_table(7, 2));
  Beginnings beginnings;
  BeamTree tree(&beginnings);
  const auto found = search(model, test::sentences_of(sources), some_best(3), &tree).front();
  tree.finish(found);
  std::set<Tokens> ended;
  for (std::size_t n = 1; n < tree.nodes().size(); ++n) {
    const BeamNode& node = tree.nodes()[n];
    Tokens tokens = tokens_of(tree, n);
    EXPECT_EQ(node.step, std::ssize(tokens));
    if (node.state == BeamNode::State::kEnded) {
      EXPECT_EQ(tokens.back(), text::kEos);
      tokens.pop_back();
      ended.insert(tokens);
    } else {
      EXPECT_NEAR(beginnings.known.at(tokens), node.log_prob, 1e-9);
    }
  }
  EXPECT_EQ(tree.nodes().size(), 1 + beginnings.known.size() + ended.size());
  ASSERT_EQ(ended.size(), found.size());
  for (const Hypothesis& hypothesis : found) EXPECT_TRUE(ended.contains(hypothesis.tokens));
}

TEST(BeamTree, TellsWhatFellOut) {
  const test::TableModel model(test::scrambled_table(7, 2));
  BeamTree tree;
  tree.finish(
      search(model, test::sentences_of(test::make_sources({4})), some_best(3), &tree).front());
  std::set<int64_t> parents;
  for (const BeamNode& node : tree.nodes()) parents.insert(node.parent);
  for (std::size_t n = 0; n < tree.nodes().size(); ++n) {
    const bool inner = parents.contains(static_cast<int64_t>(n));
    EXPECT_EQ(tree.nodes()[n].state == BeamNode::State::kInner, inner) << n;
  }
}

TEST(Expectations, NeedATargetForEachSource) {
  const auto model = small_model(small_options(WiringKind::luong));
  const test::Sentences targets(small_targets().begin(), small_targets().end() - 1);
  EXPECT_THROW((void)expectations(*model, data::pad(small_sources()), targets, 2),
               std::logic_error);
}

TEST(Expectations, AreTheDistributionsOfForcedDecoding) {
  const auto model = small_model(small_options(WiringKind::luong));
  const auto source = data::pad(small_sources());
  const auto found = expectations(*model, source, small_targets(), 11);
  const auto forced = force_decode(*model, source, small_targets(), /*keep_attention=*/false);
  ASSERT_EQ(found.size(), small_targets().size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), small_targets()[i].size() + 1);
    for (std::size_t t = 0; t < found[i].size(); ++t) {
      const Expectation& here = found[i][t];
      const auto token = t < small_targets()[i].size() ? small_targets()[i][t] : text::kEos;
      double sum = 0.0, entropy = 0.0, own = 0.0;
      for (const Alternative& one : here.best) {
        sum += one.probability;
        entropy -= one.probability * std::log(one.probability);
        if (one.token == token) own = one.probability;
      }
      EXPECT_NEAR(sum, 1.0, 1e-9);
      EXPECT_NEAR(here.entropy, entropy, 1e-9);
      EXPECT_NEAR(here.log_prob, forced[i].token_log_probs[t], 1e-9);
      EXPECT_NEAR(std::log(own), here.log_prob, 1e-9);
      EXPECT_GE(here.best.front().probability, here.best.back().probability);
    }
  }
}

// The targets have more words than are scored at a time, so a block ends inside a target.
TEST(Expectations, AreThoseOfEachTargetAloneHoweverManyThereAre) {
  const auto model = small_model(small_options(WiringKind::luong));
  test::Sentences sources, targets;
  int64_t words = 0;
  for (std::size_t i = 0; words < kWordsAtOnce + 500; ++i) {
    sources.push_back(small_sources()[i % small_sources().size()]);
    auto& target = targets.emplace_back(90 + i % 7, text::TokenId{4});
    for (std::size_t t = 0; t < target.size(); ++t)
      target[t] = static_cast<text::TokenId>(4 + (i + t * t) % 7);
    words += std::ssize(target) + 1;
  }
  const auto all = expectations(*model, data::pad(sources), targets, 2);
  for (std::size_t i = 0; i < targets.size(); i += 4) {
    const auto alone =
        expectations(*model, data::pad(test::Sentences{sources[i]}), test::Sentences{targets[i]}, 2)
            .front();
    ASSERT_EQ(all[i].size(), alone.size());
    for (std::size_t t = 0; t < alone.size(); ++t) {
      EXPECT_NEAR(all[i][t].log_prob, alone[t].log_prob, 1e-9) << i << " " << t;
      EXPECT_NEAR(all[i][t].entropy, alone[t].entropy, 1e-9);
      EXPECT_EQ(all[i][t].best.front().token, alone[t].best.front().token);
    }
  }
}

}  // namespace
}  // namespace attend::decode
