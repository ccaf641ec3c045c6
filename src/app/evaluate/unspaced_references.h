#pragma once
#include <string>
#include <vector>

namespace attend::app {

/// Warns if BLEU's `tokenizer` compares words between spaces and the references have none; suggests
/// another tokenizer.
void warn_of_unspaced_references(const std::vector<std::string>& references,
                                 const std::string& tokenizer);

}  // namespace attend::app
