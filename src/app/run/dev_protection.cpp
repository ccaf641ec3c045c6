#include "app/run/dev_protection.h"

#include <utility>

#include "app/lines/source_line.h"

namespace attend::app {

DevProtection::DevProtection(const data::DevSet& dev, const data::DataOptions& options,
                             const data::TokenizerPair& tokenizers)
    : target_(tokenizers.target) {
  const std::shared_ptr<const text::Tokenizer> borrowed(std::shared_ptr<void>(), &target_);
  const LineProtector protector(borrowed, options.protect);
  for (const std::string& line : dev.sources.front()) {
    const LineProtector::Line replaced = protector.protect(line);
    TokenizedLine read =
        cut_source(tokenizers.source, replaced.replaced.text, options.max_length).line;
    auto protection = protector.finish(replaced, line, read);
    lines_.push_back({std::move(read.ids), std::move(protection)});
  }
}

std::string DevProtection::text(std::size_t line,
                                std::span<const text::TokenId> translation) const {
  TokenizedLine written = detokenize_line(target_, translation);
  (void)lines_.at(line).protection->restore(written);
  return std::move(written.text);
}

}  // namespace attend::app
