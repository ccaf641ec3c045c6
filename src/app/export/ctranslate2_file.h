#pragma once
#include <torch/types.h>

#include <map>
#include <string>

namespace attend::app {

/// The variables of a CTranslate2 model by name. Settings are tensors without dimensions.
using Ctranslate2Variables = std::map<std::string, torch::Tensor>;

/// The bytes of a CTranslate2 `model.bin`, binary version 6, of a TransformerSpec of revision 7
/// (ctranslate2/specs/model_spec.py of CTranslate2 4.8). All integers are little-endian; a string
/// is its length with the final NUL (u16), its bytes and NUL:
///
///     u32 6, string "TransformerSpec", u32 7,
///     u32 variables, each: string name, u8 dimensions, u32 per dimension, u8 type, u32 bytes, data
///     u32 aliases, each: string alias, string name
///
/// Types: 0 float32, 1 int8, 2 int16, 3 int32. A tensor that equals an earlier one becomes its
/// alias. Throws std::logic_error for another type, UsageError for a tensor of 4 GiB or more.
[[nodiscard]] std::string ctranslate2_bytes(const Ctranslate2Variables& variables);

}  // namespace attend::app
