#include "decode/search/beam_banks.h"

#include <algorithm>
#include <tuple>

namespace attend::decode {
namespace {

/// A continuation and the round in which its bank gives it a place.
struct Dealt {
  bool late = false;
  int64_t round = 0;
  const BankedRow* continuation = nullptr;
};

std::vector<Dealt> deal(const std::vector<BankedRow>& sorted, int64_t left) {
  std::vector<Dealt> dealt;
  for (const BankedRow& one : sorted) {
    const bool same_bank = !dealt.empty() && dealt.back().continuation->missing == one.missing;
    dealt.push_back({one.missing > left, same_bank ? dealt.back().round + 1 : 0, &one});
  }
  return dealt;
}

}  // namespace

std::vector<Row> share_places(std::vector<BankedRow> continuations, std::size_t places,
                              int64_t left) {
  std::ranges::sort(continuations, [](const BankedRow& a, const BankedRow& b) {
    return a.missing != b.missing ? a.missing < b.missing : more_probable(a.row, b.row);
  });
  std::vector<Dealt> dealt = deal(continuations, left);
  std::ranges::stable_sort(dealt, {}, [](const Dealt& one) {
    return std::tuple(one.late, one.round, one.continuation->missing);
  });
  dealt.resize(std::min(places, dealt.size()));
  std::vector<Row> rows;
  for (const Dealt& one : dealt) rows.push_back(one.continuation->row);
  std::ranges::sort(rows, more_probable);
  return rows;
}

}  // namespace attend::decode
