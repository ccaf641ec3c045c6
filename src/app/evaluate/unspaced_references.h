#pragma once
#include <string>
#include <vector>

namespace attend::app {

/// Warns if BLEU's `tokenizer` compares words between spaces, but the references have no spaces;
/// suggests another tokenizer.
void warn_of_unspaced_references(const std::vector<std::string>& references,
                                 const std::string& tokenizer);

}  // namespace attend::app
