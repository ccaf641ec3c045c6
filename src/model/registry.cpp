#include "model/registry.h"

#include <functional>
#include <map>

#include "model/hierarchical/hierarchical_encoder.h"
#include "model/memory/memory_encoder.h"
#include "model/recurrent/recurrent_decoder.h"
#include "model/recurrent/recurrent_encoder.h"
#include "model/recurrent/wiring_registry.h"
#include "model/sources/sources_encoder.h"
#include "model/transformer/transformer_decoder.h"
#include "model/transformer/transformer_encoder.h"

namespace attend::model {
namespace {

using MakeEncoder = std::function<std::shared_ptr<Encoder>(const ModelOptions&)>;

std::map<std::string, MakeEncoder> encoders() {
  return {
      {"hierarchical",
       [](const ModelOptions& options) { return std::make_shared<HierarchicalEncoder>(options); }},
      {"memory",
       [](const ModelOptions& options) { return std::make_shared<MemoryEncoder>(options); }},
      {"recurrent",
       [](const ModelOptions& options) {
         return std::make_shared<RecurrentEncoder>(options.encoder, options.dropout,
                                                   options.embedding);
       }},
      {"transformer",
       [](const ModelOptions& options) { return std::make_shared<TransformerEncoder>(options); }},
  };
}

struct DecoderEntry {
  std::function<std::shared_ptr<Decoder>(const ModelOptions&, const std::vector<EncoderShape>&)>
      make;
  std::function<bool(const ModelOptions&)> attends;
};

DecoderEntry transformer_decoder() {
  return {[](const ModelOptions& options, const std::vector<EncoderShape>& shapes) {
            return std::make_shared<TransformerDecoder>(options, shapes);
          },
          [](const ModelOptions&) { return true; }};
}

std::map<std::string, DecoderEntry> decoders() {
  return {
      {"gru", transformer_decoder()},
      {"lstm", transformer_decoder()},
      {"recurrent",
       {[](const ModelOptions& options, const std::vector<EncoderShape>& shapes) {
          return std::make_shared<RecurrentDecoder>(options, shapes);
        },
        [](const ModelOptions& options) { return wiring_attends(options.decoder.wiring); }}},
      {"ssru", transformer_decoder()},
      {"transformer", transformer_decoder()},
  };
}

template <class Entries>
std::vector<std::string> family_names(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.first);
  return names;
}

}  // namespace

std::vector<std::string> encoder_names() {
  return family_names(encoders());
}

std::vector<std::string> decoder_names() {
  return family_names(decoders());
}

bool attends(const ModelOptions& options) {
  return decoders().at(options.decoder.type).attends(options);
}

std::shared_ptr<Encoder> make_encoder(const ModelOptions& options) {
  const MakeEncoder make = encoders().at(options.encoder.type);
  const int64_t sources = options.sources.count;
  if (sources == 1) return make(options);
  std::vector<std::shared_ptr<Encoder>> readers;
  for (int64_t k = 0; k < (options.sources.share_encoder ? 1 : sources); ++k) {
    readers.push_back(make(options));
  }
  std::shared_ptr<Coattention> coattention =
      make_coattention(options, readers.front()->shapes().front().size);
  return std::make_shared<SourcesEncoder>(sources, std::move(readers), std::move(coattention));
}

std::shared_ptr<Decoder> make_decoder(const ModelOptions& options,
                                      const std::vector<EncoderShape>& shapes) {
  return decoders().at(options.decoder.type).make(options, shapes);
}

}  // namespace attend::model
