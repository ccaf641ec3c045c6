#include "model/sources/fine_coattention.h"

namespace attend::model {

FineCoattention::FineCoattention(const ModelOptions& options, int64_t size, int64_t compared_size)
    : Coattention(options.dropout) {
  RecurrentEncoderOptions reader;
  reader.hidden = (size + 1) / 2;
  const auto add = [&](const char* name) {
    return register_module(
        name, std::make_shared<RecurrentEncoder>(reader, options.dropout, compared_size));
  };
  first_reader_ = add("first_reader");
  second_reader_ = add("second_reader");
}

Coattended FineCoattention::forward(const EncoderOutput& first, const EncoderOutput& second) const {
  Compared compared = compare(first, second);
  return {{first_reader_->forward(compared.first, first.lengths, first.mask),
           second_reader_->forward(compared.second, second.lengths, second.mask)},
          std::move(compared.weight_maps)};
}

}  // namespace attend::model
