#include "align/symmetrize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "core/closest_name.h"
#include "core/error.h"
#include "core/option_name.h"

namespace attend::align {
namespace {

struct NamedSymmetrization {
  std::string_view name;
  Symmetrization how;
};

constexpr std::array<NamedSymmetrization, 5> kSymmetrizations{{
    {"intersect", Symmetrization::kIntersect},
    {"union", Symmetrization::kUnion},
    {"grow-diag", Symmetrization::kGrowDiag},
    {"grow-diag-final", Symmetrization::kGrowDiagFinal},
    {"grow-diag-final-and", Symmetrization::kGrowDiagFinalAnd},
}};

struct TargetFirst {
  bool operator()(const Link& a, const Link& b) const {
    return std::tie(a.target, a.source) < std::tie(b.target, b.source);
  }
};

using OrderedLinks = std::set<Link, TargetFirst>;

OrderedLinks ordered(const Links& links) {
  return {links.begin(), links.end()};
}

// Steps from a link to its neighbours, in the order of symal.
constexpr std::array<Link, 8> kNeighbours{
    {{0, -1}, {-1, 0}, {0, 1}, {1, 0}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}}};

/// A growing set of links with the words that they cover.
class GrowingLinks {
 public:
  explicit GrowingLinks(const Links& first) {
    for (const Link& link : first) add(link);
  }

  void add(const Link& link) {
    links_.insert(link);
    sources_.insert(link.source);
    targets_.insert(link.target);
  }

  [[nodiscard]] bool covers_both(const Link& link) const {
    return sources_.contains(link.source) && targets_.contains(link.target);
  }
  [[nodiscard]] bool covers_one(const Link& link) const {
    return sources_.contains(link.source) || targets_.contains(link.target);
  }

  void grow_diag(const Links& candidates) {
    while (grow_once(candidates)) {
    }
  }

  /// Adds each candidate with at least one unlinked word; with `both`, only those with two.
  void finish(const Links& candidates, bool both) {
    for (const Link& link : ordered(candidates)) {
      if (both ? !covers_one(link) : !covers_both(link)) add(link);
    }
  }

  [[nodiscard]] Links take() const { return {links_.begin(), links_.end()}; }

 private:
  // Inserting into a set keeps iterators valid. This round visits links added after the current
  // one; the next round visits those added before it.
  bool grow_once(const Links& candidates) {
    bool added = false;
    for (auto link = links_.begin(); link != links_.end(); ++link) {
      for (const Link& step : kNeighbours) {
        const Link next{link->source + step.source, link->target + step.target};
        if (!candidates.contains(next) || covers_both(next)) continue;
        add(next);
        added = true;
      }
    }
    return added;
  }

  OrderedLinks links_;
  std::set<int64_t> sources_;
  std::set<int64_t> targets_;
};

Links intersection(const Links& a, const Links& b) {
  Links result;
  std::ranges::set_intersection(a, b, std::inserter(result, result.end()));
  return result;
}

Links union_of(const Links& a, const Links& b) {
  Links result = a;
  result.insert(b.begin(), b.end());
  return result;
}

}  // namespace

Symmetrization parse_symmetrization(std::string_view name) {
  for (const NamedSymmetrization& known : kSymmetrizations) {
    if (known.name == name) return known.how;
  }
  const auto names = symmetrization_names();
  throw UsageError(fmt::format("{}: unknown value \"{}\"{}; choices: {}", option_name("symmetrize"),
                               name, did_you_mean(name, names), join(names)));
}

std::vector<std::string> symmetrization_names() {
  std::vector<std::string> names;
  for (const NamedSymmetrization& known : kSymmetrizations) names.emplace_back(known.name);
  return names;
}

Links symmetrize(const Links& forward, const Links& reverse, Symmetrization how) {
  if (how == Symmetrization::kUnion) return union_of(forward, reverse);
  GrowingLinks links(intersection(forward, reverse));
  if (how == Symmetrization::kIntersect) return links.take();
  links.grow_diag(union_of(forward, reverse));
  if (how == Symmetrization::kGrowDiag) return links.take();
  const bool both = how == Symmetrization::kGrowDiagFinalAnd;
  links.finish(forward, both);
  links.finish(reverse, both);
  return links.take();
}

}  // namespace attend::align
