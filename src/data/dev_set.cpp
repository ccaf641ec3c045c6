#include "data/dev_set.h"

#include <algorithm>

#include "core/error.h"
#include "core/log.h"
#include "data/pair_reader.h"
#include "text/long_line.h"

namespace attend::data {
namespace {

std::vector<text::TokenId> encode_beginning(const text::Tokenizer& tokenizer,
                                            const std::string& line, int64_t max_length) {
  return tokenizer.encode(text::enough_of(line, tokenizer, max_length));
}

/// Returns whether anything was cut off.
bool truncate(std::vector<text::TokenId>& ids, int64_t max_length) {
  if (static_cast<int64_t>(ids.size()) <= max_length) return false;
  ids.resize(static_cast<std::size_t>(max_length));
  return true;
}

}  // namespace

DevSet read_dev_set(const PairFiles& files, int64_t max_length, const TokenizerPair& tokenizers) {
  DevSet dev{{}, {}, ParallelCorpus(std::max(tokenizers.source.size(), tokenizers.target.size()))};
  int64_t cut = 0;
  int64_t first_cut = 0;
  PairReader reader(files);
  while (auto pair = reader.next()) {
    auto source = encode_beginning(tokenizers.source, pair->source, max_length);
    auto target = encode_beginning(tokenizers.target, pair->target, max_length);
    const bool source_cut = truncate(source, max_length);
    if ((truncate(target, max_length) || source_cut) && cut++ == 0)
      first_cut = reader.line_number();
    dev.pairs.add(source, target, reader.line_number());
    dev.source.push_back(std::move(pair->source));
    dev.reference.push_back(std::move(pair->target));
  }
  if (dev.source.empty())
    throw DataError(files.source, "has no lines; data.dev needs at least one pair");
  if (cut > 0) {
    log::warning("cut {} pairs of {} to data.max_length={} pieces (line {} first)", cut,
                 files.source, max_length, first_cut);
  }
  return dev;
}

}  // namespace attend::data
