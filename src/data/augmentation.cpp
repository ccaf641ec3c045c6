#include "data/augmentation.h"

#include <array>
#include <utility>

#include "core/random.h"
#include "text/line_changes.h"

namespace attend::data {

Change draw_change(const AugmentOptions& options, uint64_t seed) {
  const auto shares = std::to_array<std::pair<Change, double>>({
      {Change::upper_case, options.upper_case},
      {Change::title_case, options.title_case},
      {Change::no_final_mark, options.no_final_mark},
      {Change::typos, options.typos},
      {Change::two_sentences, options.two_sentences},
  });
  double left = Random(seed).uniform();
  for (const auto& [change, share] : shares) {
    if (left < share) return change;
    left -= share;
  }
  return Change::none;
}

std::string changed(std::string_view line, Change change, Side side, uint64_t seed) {
  Random random(seed);
  switch (change) {
    case Change::upper_case:
      return text::upper_case(line);
    case Change::title_case:
      return text::title_case(line);
    case Change::no_final_mark:
      return text::without_final_mark(line);
    case Change::typos:
      return side == Side::source ? text::with_typos(line, random) : std::string(line);
    case Change::none:
    case Change::two_sentences:
      break;
  }
  return std::string(line);
}

}  // namespace attend::data
