#include "app/model/shared_tokenizers.h"

namespace attend::app {

SharedTokenizers load_tokenizers(const std::vector<std::filesystem::path>& files,
                                 const data::DataOptions& options) {
  using text::PieceOrder;
  const auto load = [&](const std::filesystem::path& file, PieceOrder order) {
    return std::make_shared<const text::Tokenizer>(file, options.lowercase, order);
  };
  const auto source = load(files.front(), PieceOrder::kReading);
  if (options.reverse_target) return {source, load(files.back(), PieceOrder::kReversed)};
  return {source, files.size() == 1 ? source : load(files.back(), PieceOrder::kReading)};
}

bool same_pieces(const text::Tokenizer& a, const text::Tokenizer& b) {
  if (a.size() != b.size()) return false;
  for (text::TokenId id = 0; id < a.size(); ++id) {
    if (a.piece(id) != b.piece(id)) return false;
  }
  return true;
}

}  // namespace attend::app
