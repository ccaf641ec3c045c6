#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "app/model/loaded_model.h"
#include "data/pair_reader.h"

namespace attend::app {

/// Warns once if most of the lines read so far are unlike the text that the model was trained to
/// read: another language, the other side of the training text, another script. Looks at the first
/// 10,000 lines. Silent for a model that does not know its training text.
class LikenessWarning {
 public:
  explicit LikenessWarning(const LoadedModel& model);

  /// A source line and its number, from 1.
  void add(std::string_view line, int64_t number);
  /// The source lines of pairs, the first of which has `number`.
  void add(std::span<const data::LinePair> pairs, int64_t number);

 private:
  std::shared_ptr<const KnownTexts> known_;
  int64_t judged_ = 0;
  int64_t strange_ = 0;
};

}  // namespace attend::app
