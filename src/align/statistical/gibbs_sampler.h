#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "align/attention_matrix.h"
#include "align/lexicon.h"
#include "align/statistical/lexical_counts.h"
#include "core/random.h"

namespace attend::align {

/// A number of links between two words.
struct LinkCount {
  int32_t source = 0;
  int32_t target = 0;
  int32_t count = 0;
};

/// Sentence pairs of word numbers.
struct NumberedCorpus {
  std::vector<NumberedPair> pairs;
  int32_t sources = 0;  ///< size of the source vocabulary
  int32_t targets = 0;  ///< size of the target vocabulary
  /// Links of other text, of words inside the vocabularies.
  std::vector<LinkCount> known = {};
};

/// Parameters of the symmetric Dirichlet priors, and the fixed probability of "no source word",
/// above 0 and below 1. The defaults are those of Östling & Tiedemann (2016).
struct AlignmentPriors {
  double lexical = 0.001;
  double jump = 0.5;
  double fertility = 0.5;
  double null = 0.2;
};

/// The models in the order of training. Each adds a factor to the one before.
enum class AlignmentStage {
  kModel1,     ///< p(target word | source word)
  kHmm,        ///< p(jump), from the source position of one linked target word to that of the next
  kFertility,  ///< p(number of linked target words | source word)
};

/// Links every target word of a corpus to one source word of its sentence, or to none, by collapsed
/// Gibbs sampling (Östling & Tiedemann 2016, "Efficient Word Alignment with Markov Chain Monte
/// Carlo", sections 3 and 4). With all parameters integrated out, the joint probability of the
/// links is, up to a constant, the product of
///   P(c_s, lexical) for each source word s and for "none"; c_s[t] counts the links of s to t,
///   those
///     that are known from other text included,
///   null^|none| ((1 - null) / I)^|linked| with Model 1; null^|none| (1 - null)^|linked| later,
///   P(j, jump), if the stage is kHmm or later; j[d] counts the jumps by d positions,
///   P(f_s, fertility) for each source word s, if it is kFertility; f_s[n] counts the occurrences
///     of s with n links,
/// where P(c, a) = Gamma(K a) / Gamma(K a + sum of c) prod_k Gamma(c[k] + a) / Gamma(a) is the
/// Dirichlet-multinomial distribution over K values. Every sentence begins with a jump from
/// position -1 and ends with a jump to position I, its length. Target words without a link do not
/// jump. Longer jumps are counted as kLongestJump, and larger fertilities as kLargestFertility.
class GibbsSampler {
 public:
  static constexpr int32_t kNone = -1;  ///< the source position of "no source word"
  static constexpr int32_t kLongestJump = 100;
  static constexpr int32_t kLargestFertility = 15;

  /// Starts from random links, in stage kModel1. Keeps a reference to `corpus`, whose numbers must
  /// be inside the vocabularies.
  GibbsSampler(const NumberedCorpus& corpus, const AlignmentPriors& priors, uint64_t seed);

  /// Changes the stage, and counts the jumps and fertilities of the current links.
  void begin(AlignmentStage stage);

  /// Draws a new link for each target word of the corpus.
  void sweep();
  /// Draws a new link for each target word of a pair.
  void sample(std::size_t pair) { sample(pair, nullptr); }
  /// Also adds the distributions that the links are drawn from to `sum`, whose rows are the target
  /// words and whose columns are the source words, then "no source word".
  void sample(std::size_t pair, WeightTable& sum) { sample(pair, &sum); }

  /// The source position of each target word of a pair, or kNone.
  [[nodiscard]] std::span<const int32_t> links(std::size_t pair) const;

 private:
  /// A source word of the current pair, with its fertility.
  struct Position {
    const LexicalCounts::Row* row;
    double factor;  // the parts of a link's probability that do not depend on the target word
    int32_t word;
    int32_t fertility;
    int32_t next;  // the next position with the same word; the first one for the last
  };

  void start_randomly();
  void sample(std::size_t pair, WeightTable* sum);
  void enter(std::size_t pair);
  void find_repetitions();
  void find_next_links(std::span<const int32_t> links);
  void unlink(int32_t position, int32_t target);
  void link(int32_t position, int32_t target);
  void change_fertility(Position& position, int32_t change);
  void refresh(int32_t position);
  [[nodiscard]] double factor(const Position& position);
  double weigh(int32_t target, int32_t before, int32_t after);
  void weigh_words(int32_t target);
  void move_jumps(int32_t before, int32_t position, int32_t after, double sign);
  void weigh_jumps(int32_t before, int32_t after);
  [[nodiscard]] int32_t draw(double total);
  void count_jumps(std::span<const int32_t> links, std::size_t sources);
  void count_fertilities(std::span<const int32_t> links, const std::vector<int32_t>& sources);
  [[nodiscard]] double& jump(int32_t distance);
  [[nodiscard]] int32_t& fertility_count(int32_t word, int32_t fertility);

  const NumberedCorpus& corpus_;
  AlignmentPriors priors_;
  double none_odds_;    // of "no source word" to any source word
  double all_lexical_;  // priors_.lexical times the size of the target vocabulary
  Random random_;
  AlignmentStage stage_ = AlignmentStage::kModel1;

  std::vector<std::size_t> begins_;  // the links of pair p are links_[begins_[p] .. begins_[p + 1])
  std::vector<int32_t> links_;
  LexicalCounts counts_;              // row corpus_.sources is for "no source word"
  std::vector<double> jumps_;         // counts plus the prior; from -kLongestJump to kLongestJump
  double all_jumps_ = 0.0;            // their sum
  std::vector<int32_t> fertilities_;  // [source word, fertility]

  // The state of sample() for the current pair:
  std::vector<Position> positions_;
  std::vector<int32_t> next_links_;  // [target]: the source position of the next linked word
  std::vector<double> weights_;      // [source position], last: "no source word"
  std::vector<int32_t> last_seen_;   // [source word]: scratch of find_repetitions()
};

}  // namespace attend::align
