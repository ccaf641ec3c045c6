#pragma once
#include "model/recurrent/recurrent_encoder.h"
#include "model/sources/coattention.h"

namespace attend::model {

/// Compares all positions of both sources. Each position is concatenated with its context from the
/// other source, and one bidirectional LSTM per source reads the result; its last states are the
/// summaries. The papers do so for one source only, the text that the question is about. Here both
/// sources are treated alike, with exchanged roles, since the decoder attends to both. The LSTM has
/// C / 2 units per direction, rounded up, so that positions keep their size.
class FineCoattention : public Coattention {
 public:
  struct Compared {
    torch::Tensor first, second;         // [B, S_k, J]: positions with their contexts
    std::vector<SideTable> weight_maps;  // as in Coattended
  };
  [[nodiscard]] virtual Compared compare(const EncoderOutput& first,
                                         const EncoderOutput& second) const = 0;

  [[nodiscard]] Coattended forward(const EncoderOutput& first,
                                   const EncoderOutput& second) const override;
  [[nodiscard]] int64_t output_size() const override { return first_reader_->output_size(); }

 protected:
  /// Positions of size C = `size` become positions of size J = `compared_size`.
  FineCoattention(const ModelOptions& options, int64_t size, int64_t compared_size);

 private:
  std::shared_ptr<RecurrentEncoder> first_reader_;
  std::shared_ptr<RecurrentEncoder> second_reader_;
};

}  // namespace attend::model
