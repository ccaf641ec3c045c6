#pragma once
#include <cstdint>
#include <string>

#include "core/error.h"

namespace attend::decode {

/// A sentence has no output, because of what its output must or must not contain.
class NoOutput : public UserError {
 public:
  NoOutput(int64_t sentence, const std::string& message)
      : UserError(ExitCode::kUsage, message), sentence_(sentence) {}

  /// The place of the sentence in the batch of the search, from 0.
  [[nodiscard]] int64_t sentence() const { return sentence_; }

 private:
  int64_t sentence_;
};

}  // namespace attend::decode
