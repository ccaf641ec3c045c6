#include "decode/search/search_control.h"

#include "decode/search/beams.h"
#include "decode/search/trace.h"

namespace attend::decode {

int64_t SearchStep::position() const {
  return beams_.position();
}

std::vector<LiveHypothesis> SearchStep::live() const {
  std::vector<LiveHypothesis> live;
  for (const Row& row : beams_.rows()) {
    if (!row.alive) continue;
    auto tokens = trace_.tokens({.step = beams_.position() - 1, .row = row.parent});
    tokens.push_back(row.token);
    live.push_back({row.sentence, std::move(tokens), row.log_prob});
  }
  return live;
}

}  // namespace attend::decode
