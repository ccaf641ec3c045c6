#pragma once
#include "model/recurrent/recurrent_encoder.h"
#include "model/sources/coattention.h"

namespace attend::model {

/// All positions of one source compared with all of the other. What each position finds there is
/// put beside it, and an LSTM reads that both ways, one for each source; its last states are the
/// summaries. The papers do so with one of the sources, the text that is asked about; here both are
/// read in the same way with the roles exchanged, since the decoder attends to both. The LSTM has
/// C / 2 units a direction, rounded up, so that positions keep their size.
class FineCoattention : public Coattention {
 public:
  struct Compared {
    torch::Tensor first, second;   // [B, S_k, J]: positions with what they found
    std::vector<SideTable> looks;  // as Coattended has them
  };
  [[nodiscard]] virtual Compared compare(const EncoderOutput& first,
                                         const EncoderOutput& second) const = 0;

  [[nodiscard]] Coattended forward(const EncoderOutput& first,
                                   const EncoderOutput& second) const override;
  [[nodiscard]] int64_t output_size() const override { return first_reader_->output_size(); }

 protected:
  /// Positions of `size` C become some of `compared_size` J.
  FineCoattention(const ModelOptions& options, int64_t size, int64_t compared_size);

 private:
  std::shared_ptr<RecurrentEncoder> first_reader_;
  std::shared_ptr<RecurrentEncoder> second_reader_;
};

}  // namespace attend::model
