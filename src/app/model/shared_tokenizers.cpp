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

}  // namespace attend::app
