#include "data/dev_set.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/log.h"
#include "core/signal.h"
#include "data/example_reader.h"
#include "data/pair_protection.h"
#include "text/long_line.h"

namespace attend::data {
namespace {

/// Adds the example to `dev`; the model reads `read`. Returns true if a side was cut.
bool add(DevSet& dev, Example example, const Example& read, int64_t line, int64_t max_length,
         const TokenizerPair& tokenizers) {
  bool cut = false;
  const auto encode = [&](const std::string& text, const text::Tokenizer& tokenizer) {
    auto beginning = text::encode_beginning(text, tokenizer, max_length);
    cut = cut || beginning.cut;
    return std::move(beginning.ids);
  };
  std::vector<std::vector<text::TokenId>> sources;
  for (const std::string& source : read.sources)
    sources.push_back(encode(source, tokenizers.source));
  const auto target = encode(read.target, tokenizers.target);
  const std::vector<ParallelCorpus::Ids> views(sources.begin(), sources.end());
  dev.pairs.add(views, target, line);
  for (std::size_t side = 0; side < example.sources.size(); ++side)
    dev.sources[side].push_back(std::move(example.sources[side]));
  dev.reference.push_back(std::move(example.target));
  return cut;
}

}  // namespace

DevSet read_dev_set(const ExampleFiles& files, int64_t max_length, const TokenizerPair& tokenizers,
                    const text::ProtectOptions& protect) {
  constexpr int64_t kLinesBetweenStopChecks = 1024;
  const std::size_t sources = files.sources.size();
  const int64_t vocabulary = std::max(tokenizers.source.size(), tokenizers.target.size());
  DevSet dev{std::vector<std::vector<std::string>>(sources),
             {},
             ParallelCorpus(vocabulary, chunks_in_memory(), sources)};
  int64_t cut = 0;
  int64_t first_cut = 0;
  const PairProtection protection(protect);
  ExampleReader reader(files);
  while (auto example = reader.next()) {
    const int64_t line = reader.line_number();
    if (line % kLinesBetweenStopChecks == 0) stop_if_requested(kStopped);
    Example read = *example;
    protection.protect(read.sources.front(), read.target);
    if (add(dev, std::move(*example), read, line, max_length, tokenizers) && cut++ == 0)
      first_cut = line;
  }
  reader.check_encoding();
  if (dev.reference.empty())
    throw DataError(files.source(), "has no lines; data.dev needs at least one pair");
  if (cut > 0) {
    log::warning("cut {} pairs of {} to data.max_length={} pieces (first: line {})", cut,
                 files.source(), max_length, first_cut);
  }
  warn_about_repairs(reader.repairs());
  return dev;
}

}  // namespace attend::data
