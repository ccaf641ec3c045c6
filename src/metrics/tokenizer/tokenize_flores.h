#pragma once
#include <string>
#include <string_view>

namespace attend::metrics {

/// The pieces of sacreBLEU's SentencePiece models for spBLEU (Goyal et al. 2022, arXiv 2106.03193),
/// separated by spaces. The models are where sacreBLEU keeps them: models/ in the folder
/// $SACREBLEU, by default ~/.sacrebleu. Thread-safe. The functions throw UsageError, with the path
/// and the address of the model, if it is missing, and ModelFileError if it is damaged.
[[nodiscard]] std::string tokenize_flores101(std::string_view line);
[[nodiscard]] std::string tokenize_flores200(std::string_view line);
void require_flores101();
void require_flores200();

}  // namespace attend::metrics
