#include "align/statistical/gibbs_sampler.h"

#include <algorithm>

namespace attend::align {
namespace {

std::size_t index(int32_t number) {
  return static_cast<std::size_t>(number);
}

}  // namespace

GibbsSampler::GibbsSampler(const NumberedCorpus& corpus, const AlignmentPriors& priors,
                           uint64_t seed)
    : corpus_(corpus),
      priors_(priors),
      none_odds_(priors.null / (1.0 - priors.null)),
      all_lexical_(priors.lexical * corpus.targets),
      random_(seed),
      begins_(1, 0),
      counts_(index(corpus.sources) + 1),
      last_seen_(index(corpus.sources), kNone) {
  for (const NumberedPair& pair : corpus.pairs)
    begins_.push_back(begins_.back() + pair.target.size());
  links_.resize(begins_.back());
  for (const LinkCount& known : corpus.known) counts_.add(known.source, known.target, known.count);
  start_randomly();
}

void GibbsSampler::start_randomly() {
  std::size_t next = 0;
  for (const NumberedPair& pair : corpus_.pairs) {
    for (const int32_t target : pair.target) {
      const bool linked = !pair.source.empty() && random_.uniform() >= priors_.null;
      const int32_t position =
          linked ? static_cast<int32_t>(random_.below(pair.source.size())) : kNone;
      links_[next++] = position;
      counts_.add(linked ? pair.source[index(position)] : corpus_.sources, target, 1);
    }
  }
}

std::span<const int32_t> GibbsSampler::links(std::size_t pair) const {
  return std::span(links_).subspan(begins_[pair], begins_[pair + 1] - begins_[pair]);
}

void GibbsSampler::begin(AlignmentStage stage) {
  stage_ = stage;
  jumps_.assign(index(2 * kLongestJump + 1), priors_.jump);
  all_jumps_ = priors_.jump * static_cast<double>(jumps_.size());
  fertilities_.assign(index(corpus_.sources) * (kLargestFertility + 1), 0);
  if (stage == AlignmentStage::kModel1) return;
  for (std::size_t p = 0; p < corpus_.pairs.size(); ++p) {
    count_jumps(links(p), corpus_.pairs[p].source.size());
    count_fertilities(links(p), corpus_.pairs[p].source);
  }
}

void GibbsSampler::count_jumps(std::span<const int32_t> links, std::size_t sources) {
  int32_t before = -1;
  const auto add = [&](int32_t position) {
    jump(position - before) += 1.0;
    all_jumps_ += 1.0;
    before = position;
  };
  for (const int32_t position : links) {
    if (position != kNone) add(position);
  }
  add(static_cast<int32_t>(sources));
}

void GibbsSampler::count_fertilities(std::span<const int32_t> links,
                                     const std::vector<int32_t>& sources) {
  std::vector<int32_t> linked(sources.size(), 0);
  for (const int32_t position : links) {
    if (position != kNone) ++linked[index(position)];
  }
  for (std::size_t s = 0; s < sources.size(); ++s) ++fertility_count(sources[s], linked[s]);
}

double& GibbsSampler::jump(int32_t distance) {
  return jumps_[index(std::clamp(distance, -kLongestJump, kLongestJump) + kLongestJump)];
}

int32_t& GibbsSampler::fertility_count(int32_t word, int32_t fertility) {
  return fertilities_[index(word) * (kLargestFertility + 1) +
                      index(std::min(fertility, kLargestFertility))];
}

void GibbsSampler::sweep() {
  counts_.compact();
  for (std::size_t p = 0; p < corpus_.pairs.size(); ++p) sample(p);
}

void GibbsSampler::sample(std::size_t pair, WeightTable* sum) {
  enter(pair);
  const std::vector<int32_t>& targets = corpus_.pairs[pair].target;
  int32_t before = -1;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    int32_t& position = links_[begins_[pair] + t];
    unlink(position, targets[t]);
    if (stage_ != AlignmentStage::kModel1) move_jumps(before, position, next_links_[t], -1.0);
    const double total = weigh(targets[t], before, next_links_[t]);
    if (sum != nullptr) {
      for (std::size_t s = 0; s < weights_.size(); ++s)
        (*sum)(t, s) += static_cast<float>(weights_[s] / total);
    }
    position = draw(total);
    link(position, targets[t]);
    if (stage_ != AlignmentStage::kModel1) move_jumps(before, position, next_links_[t], 1.0);
    if (position != kNone) before = position;
  }
}

void GibbsSampler::enter(std::size_t pair) {
  const std::vector<int32_t>& sources = corpus_.pairs[pair].source;
  positions_.clear();
  for (const int32_t word : sources) positions_.push_back({&counts_.row(word), 0.0, word, 0, 0});
  weights_.resize(sources.size() + 1);
  for (const int32_t position : links(pair)) {
    if (position != kNone) ++positions_[index(position)].fertility;
  }
  for (Position& position : positions_) position.factor = factor(position);
  find_repetitions();
  find_next_links(links(pair));
}

void GibbsSampler::find_repetitions() {
  for (int32_t s = 0; s < std::ssize(positions_); ++s) {
    Position& position = positions_[index(s)];
    int32_t& last = last_seen_[index(position.word)];
    position.next = s;
    if (last != kNone) std::swap(position.next, positions_[index(last)].next);
    last = s;
  }
  for (const Position& position : positions_) last_seen_[index(position.word)] = kNone;
}

void GibbsSampler::find_next_links(std::span<const int32_t> links) {
  next_links_.resize(links.size());
  auto next = static_cast<int32_t>(positions_.size());
  for (std::size_t t = links.size(); t-- > 0;) {
    next_links_[t] = next;
    if (links[t] != kNone) next = links[t];
  }
}

// Adds `sign` to the count of each jump from link `before` to link `after`: two jumps by way of the
// word's own link `position`, or one if it has none. -1 removes the word's jumps, 1 adds them.
void GibbsSampler::move_jumps(int32_t before, int32_t position, int32_t after, double sign) {
  const auto add = [&](int32_t distance) {
    jump(distance) += sign;
    all_jumps_ += sign;
  };
  if (position == kNone) {
    add(after - before);
  } else {
    add(position - before);
    add(after - position);
  }
}

void GibbsSampler::unlink(int32_t position, int32_t target) {
  if (position == kNone) {
    counts_.add(corpus_.sources, target, -1);
    return;
  }
  counts_.add(positions_[index(position)].word, target, -1);
  change_fertility(positions_[index(position)], -1);
  refresh(position);
}

void GibbsSampler::link(int32_t position, int32_t target) {
  if (position == kNone) {
    counts_.add(corpus_.sources, target, 1);
    return;
  }
  counts_.add(positions_[index(position)].word, target, 1);
  change_fertility(positions_[index(position)], 1);
  refresh(position);
}

void GibbsSampler::change_fertility(Position& position, int32_t change) {
  if (stage_ == AlignmentStage::kFertility) {
    --fertility_count(position.word, position.fertility);
    ++fertility_count(position.word, position.fertility + change);
  }
  position.fertility += change;
}

// Updates the factors of all positions with the same word.
void GibbsSampler::refresh(int32_t position) {
  int32_t s = position;
  do {
    positions_[index(s)].factor = factor(positions_[index(s)]);
    s = positions_[index(s)].next;
  } while (s != position);
}

// The part of a link's probability that does not depend on the target word: one over the total of
// the source word's lexical counts. In stage kFertility it is multiplied by the ratio of the
// word's counts (plus prior) for the next and the current fertility, without this occurrence.
double GibbsSampler::factor(const Position& position) {
  const double all = static_cast<double>(position.row->total()) + all_lexical_;
  if (stage_ != AlignmentStage::kFertility) return 1.0 / all;
  const int32_t now = position.fertility;
  const double others = fertility_count(position.word, now) - 1;
  const double next = now >= kLargestFertility ? others : fertility_count(position.word, now + 1);
  return (next + priors_.fertility) / ((others + priors_.fertility) * all);
}

// Fills weights_ with numbers proportional to the conditional probabilities of a target word's
// link, given all other links. Returns their sum.
double GibbsSampler::weigh(int32_t target, int32_t before, int32_t after) {
  weigh_words(target);
  if (stage_ == AlignmentStage::kModel1) {
    weights_.back() *= static_cast<double>(std::max<std::size_t>(positions_.size(), 1));
  } else {
    weigh_jumps(before, after);
  }
  double total = 0.0;
  for (const double weight : weights_) total += weight;
  return total;
}

void GibbsSampler::weigh_words(int32_t target) {
  const uint32_t hash = LexicalCounts::Row::hash(target);
  for (std::size_t s = 0; s < positions_.size(); ++s) {
    const Position& position = positions_[s];
    weights_[s] = (position.row->count_at(hash, target) + priors_.lexical) * position.factor;
  }
  const LexicalCounts::Row& none = counts_.row(corpus_.sources);
  weights_.back() = (none.count_at(hash, target) + priors_.lexical) /
                    (static_cast<double>(none.total()) + all_lexical_) * none_odds_;
}

// A link adds two jumps, and the second sees the first among the counts. No link adds one jump.
// Leaves out the factor 1 / all_jumps_, which all weights share.
void GibbsSampler::weigh_jumps(int32_t before, int32_t after) {
  const double scale = 1.0 / (all_jumps_ + 1.0);
  for (int32_t s = 0; s < std::ssize(positions_); ++s) {
    const double first = jump(s - before);
    const double& second = jump(after - s);
    const double again = &second == &jump(s - before) ? 1.0 : 0.0;
    weights_[index(s)] *= first * (second + again) * scale;
  }
  weights_.back() *= jump(after - before);
}

int32_t GibbsSampler::draw(double total) {
  double rest = random_.uniform() * total;
  for (int32_t s = 0; s < std::ssize(positions_); ++s) {
    rest -= weights_[index(s)];
    if (rest < 0.0) return s;
  }
  return kNone;
}

}  // namespace attend::align
