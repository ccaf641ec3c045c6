#pragma once
// The families of encoders and decoders. To add one, add a folder with its options.h (a struct with
// kType, describe() and make_encoder() or make_decoder()), and its struct here.
#include <variant>

#include "model/hierarchical/options.h"
#include "model/memory/options.h"
#include "model/recurrent/options.h"
#include "model/transformer/options.h"

namespace attend::model {

/// The config section `model.encoder`.
using EncoderOptions = std::variant<RecurrentEncoderOptions, HierarchicalEncoderOptions,
                                    MemoryEncoderOptions, TransformerEncoderOptions>;

/// The config section `model.decoder`.
using DecoderOptions = std::variant<RecurrentDecoderOptions, GruDecoderOptions, LstmDecoderOptions,
                                    SsruDecoderOptions, TransformerDecoderOptions>;

}  // namespace attend::model
