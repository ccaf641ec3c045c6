#include "text/lowercase.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/edits.h>

#include <limits>
#include <stdexcept>

#include "text/icu_status.h"

namespace attend::text {
namespace {

std::size_t offset(int32_t value) {
  return static_cast<std::size_t>(value);
}

std::vector<std::size_t> offset_map(const icu::Edits& edits, std::size_t length) {
  std::vector<std::size_t> original(length + 1);
  UErrorCode status = U_ZERO_ERROR;
  icu::Edits::Iterator edit = edits.getFineIterator();
  while (edit.next(status)) {
    const std::size_t begin = offset(edit.destinationIndex());
    const bool same_length = edit.oldLength() == edit.newLength();
    for (std::size_t i = 0; i < offset(edit.newLength()); ++i) {
      original[begin + i] = offset(edit.sourceIndex()) + (same_length ? i : 0);
    }
  }
  original[length] = offset(edit.sourceIndex());
  return original;
}

bool changes_a_length(const icu::Edits& edits) {
  UErrorCode status = U_ZERO_ERROR;
  icu::Edits::Iterator edit = edits.getFineChangesIterator();
  while (edit.next(status)) {
    if (edit.oldLength() != edit.newLength()) return true;
  }
  return false;
}

}  // namespace

Lowercased::Lowercased(std::string_view line) {
  if (line.size() > offset(std::numeric_limits<int32_t>::max())) {
    throw std::length_error("cannot lower-case a line of more than 2 GiB");
  }
  icu::Edits edits;
  icu::StringByteSink<std::string> sink(&text_);
  UErrorCode status = U_ZERO_ERROR;
  const icu::StringPiece input(line.data(), static_cast<int32_t>(line.size()));
  icu::CaseMap::utf8ToLower("", 0, input, sink, &edits, status);
  check_icu(status);
  if (changes_a_length(edits)) original_ = offset_map(edits, text_.size());
}

std::size_t Lowercased::original(std::size_t position) const {
  return original_.empty() ? position : original_.at(position);
}

}  // namespace attend::text
