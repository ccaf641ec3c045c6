#include "app/evaluate/unspaced_references.h"

#include "core/log.h"
#include "core/option_name.h"
#include "metrics/tokenizer/writing.h"

namespace attend::app {

void warn_of_unspaced_references(const std::vector<std::string>& references,
                                 const std::string& tokenizer) {
  const metrics::Writing writing(references);
  const std::string better = writing.better_than(tokenizer);
  if (better.empty()) return;
  log::warning(
      "the references have {:.1f} words per line between spaces ({}), and BLEU's tokenizer {} "
      "compares such words; give {} {}",
      writing.words_per_line(), writing.name(), tokenizer, option_name("tokenize"), better);
}

}  // namespace attend::app
