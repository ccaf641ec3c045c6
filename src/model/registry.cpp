#include "model/registry.h"

#include <variant>

#include "model/sources/coattention.h"
#include "model/sources/sources_encoder.h"

namespace attend::model {
namespace {

std::shared_ptr<Encoder> make_reader(const ModelOptions& options) {
  return std::visit([&](const auto& family) { return make_encoder(family, options); },
                    options.encoder);
}

}  // namespace

std::shared_ptr<Encoder> make_encoder(const ModelOptions& options) {
  const int64_t sources = options.sources.count;
  if (sources == 1) return make_reader(options);
  std::vector<std::shared_ptr<Encoder>> readers;
  for (int64_t k = 0; k < (options.sources.share_encoder ? 1 : sources); ++k) {
    readers.push_back(make_reader(options));
  }
  std::shared_ptr<Coattention> coattention =
      make_coattention(options, readers.front()->shapes().front().size);
  return std::make_shared<SourcesEncoder>(sources, std::move(readers), std::move(coattention));
}

std::shared_ptr<Decoder> make_decoder(const ModelOptions& options,
                                      const std::vector<EncoderShape>& shapes) {
  return std::visit([&](const auto& family) { return make_decoder(family, options, shapes); },
                    options.decoder);
}

}  // namespace attend::model
