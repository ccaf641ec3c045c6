#include "tests/app/export/ctranslate2_reader.h"

#include <cstring>
#include <stdexcept>
#include <vector>

namespace attend::test {
namespace {

class Bytes {
 public:
  explicit Bytes(const std::string& all) : all_(all) {}

  template <class Number>
  Number take() {
    Number number{};
    std::memcpy(&number, take(sizeof number), sizeof number);
    return number;
  }
  const char* take(std::size_t count) {
    if (count > all_.size() - at_) throw std::runtime_error("the file is cut");
    at_ += count;
    return all_.data() + at_ - count;
  }
  std::string take_string() {
    const auto length = take<uint16_t>();
    const std::string text(take(length), length);
    if (text.empty() || text.back() != '\0') throw std::runtime_error("a string without its end");
    return text.substr(0, text.size() - 1);
  }
  [[nodiscard]] bool is_at_end() const { return at_ == all_.size(); }

 private:
  const std::string& all_;
  std::size_t at_ = 0;
};

torch::Tensor take_tensor(Bytes& bytes) {
  constexpr torch::ScalarType kTypes[] = {torch::kFloat, torch::kChar, torch::kShort, torch::kInt};
  std::vector<int64_t> shape(bytes.take<uint8_t>());
  for (int64_t& size : shape) size = bytes.take<uint32_t>();
  torch::Tensor tensor = torch::empty(shape, kTypes[bytes.take<uint8_t>()]);
  const auto count = bytes.take<uint32_t>();
  if (count != tensor.nbytes()) throw std::runtime_error("the size does not match the shape");
  std::memcpy(tensor.data_ptr(), bytes.take(count), count);
  return tensor;
}

}  // namespace

Ctranslate2Content read_ctranslate2(const std::string& all) {
  Bytes bytes(all);
  Ctranslate2Content content;
  content.version = bytes.take<uint32_t>();
  content.specification = bytes.take_string();
  content.revision = bytes.take<uint32_t>();
  for (auto left = bytes.take<uint32_t>(); left > 0; --left) {
    const std::string name = bytes.take_string();
    content.variables[name] = take_tensor(bytes);
  }
  for (auto left = bytes.take<uint32_t>(); left > 0; --left) {
    const std::string alias = bytes.take_string();
    content.aliases[alias] = bytes.take_string();
  }
  if (!bytes.is_at_end()) throw std::runtime_error("the file has more bytes than variables");
  return content;
}

}  // namespace attend::test
