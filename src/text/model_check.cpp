#include "text/model_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attend::text {
namespace {

// Field numbers of ModelProto, SentencePiece and NormalizerSpec in sentencepiece_model.proto.
constexpr uint64_t kPieces = 1;
constexpr std::array<uint64_t, 2> kNormalizers = {3, 5};  // normalizer_spec, denormalizer_spec
constexpr uint64_t kPieceText = 1;
constexpr uint64_t kPieceType = 3;
constexpr uint32_t kUserDefined = 4;      // a type
constexpr uint64_t kCharsmap = 2;         // precompiled_charsmap
constexpr std::size_t kMostMatches = 64;  // kResultSize of PrefixMatcher::PrefixMatch()

/// A field of a protocol buffer message.
struct Field {
  uint64_t id = 0;
  uint64_t value = 0;      // if it is a varint
  std::string_view bytes;  // if it has a length
};

/// Walks through the fields of a message. It is stricter than protobuf: groups, and tags that
/// protobuf might read differently, are faults.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const uint64_t tag = varint();
    Field field;
    field.id = tag >> 3;
    if (tag > 0xFFFF'FFFFU || field.id == 0) fail();
    read_value(tag & 7U, field);
    return field;
  }

 private:
  void read_value(uint64_t wire_type, Field& field) {
    if (wire_type == 0) {
      field.value = varint();
    } else if (wire_type == 1) {
      (void)take(8);
    } else if (wire_type == 2) {
      field.bytes = take(varint());
    } else if (wire_type == 5) {
      (void)take(4);
    } else {
      fail();
    }
  }

  uint64_t varint() {
    constexpr unsigned kMostBits = 64;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < kMostBits; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) fail();
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  [[noreturn]] static void fail() { throw ModelFault{"it is not a protocol buffer"}; }

  std::string_view rest_;
};

/// Checks every precompiled_charsmap, although protobuf keeps only the last.
void check_rules(std::string_view normalizer) {
  Fields fields(normalizer);
  while (const auto field = fields.next()) {
    if (field->id == kCharsmap && !field->bytes.empty()) check_charsmap(field->bytes);
  }
}

/// The text of a user-defined piece, which SentencePiece looks for before it segments a line.
/// SentencePiece ends the text at a zero byte.
std::optional<std::string_view> user_defined_text(std::string_view piece) {
  std::string_view text;
  bool user_defined = false;
  Fields fields(piece);
  while (const auto field = fields.next()) {
    if (field->id == kPieceText) text = field->bytes.substr(0, field->bytes.find('\0'));
    const bool is_type = field->id == kPieceType;
    user_defined = user_defined || (is_type && static_cast<uint32_t>(field->value) == kUserDefined);
  }
  return user_defined ? std::optional(text) : std::nullopt;
}

void check_nesting(std::vector<std::string_view> texts) {
  std::ranges::sort(texts);
  std::vector<std::string_view> beginnings;  // pieces that the current text begins with
  for (const std::string_view text : texts) {
    while (!beginnings.empty() && !text.starts_with(beginnings.back())) beginnings.pop_back();
    beginnings.push_back(text);
    if (beginnings.size() > kMostMatches)
      throw ModelFault{"too many user-defined pieces are prefixes of one text"};
  }
}

}  // namespace

void check_model(std::string_view model) {
  std::vector<std::string_view> user_defined;
  Fields fields(model);
  while (const auto field = fields.next()) {
    if (std::ranges::count(kNormalizers, field->id) > 0) check_rules(field->bytes);
    if (field->id != kPieces) continue;
    if (const auto text = user_defined_text(field->bytes)) user_defined.push_back(*text);
  }
  check_nesting(std::move(user_defined));
}

}  // namespace attend::text
