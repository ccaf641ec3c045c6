#include "decode/step/step_model.h"

#include <stdexcept>

namespace attend::decode {

void StepSession::force_attention(const torch::Tensor& /*columns*/) {
  throw std::logic_error("the attention of this model cannot be forced");
}

void StepSession::score_only(const Candidates& /*candidates*/) {
  throw std::logic_error("this model can only score its whole vocabulary");
}

}  // namespace attend::decode
