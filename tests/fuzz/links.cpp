// Files of word links: Pharaoh format and gold links.
#include <algorithm>
#include <limits>
#include <string>

#include "align/error_rate.h"
#include "align/link_file.h"
#include "align/links.h"
#include "align/symmetrize.h"
#include "core/error.h"
#include "core/utf8.h"
#include "tests/fuzz/support.h"

namespace {

namespace align = attend::align;
using attend::fuzz::require;

constexpr align::PairSize kAnySize{std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::max()};
constexpr align::PairSize kSmall{8, 8};

/// The links of the first line of `text`.
align::LinkLine read_line(const std::string& text, align::LinkFormat format) {
  static attend::fuzz::MemoryFile file;
  return align::LinkReader(file.holding(text + "\n"), format).next().value();
}

void check_line(const align::LinkFile& file, std::size_t line) {
  const align::Links links = file.links(line);
  const align::GoldLinks gold = file.gold(line);
  require(gold.possible == links, "every link is possible");
  require(std::includes(links.begin(), links.end(), gold.sure.begin(), gold.sure.end()),
          "every sure link is possible");
  require(align::transposed(align::transposed(links)) == links,
          "transposing twice changes nothing");
  require(read_line(align::format_pharaoh(links), align::LinkFormat::kPharaoh).links() == links,
          "links are read as they were written");
  require(align::symmetrize(links, gold.sure, align::Symmetrization::kUnion) == links,
          "the union with a part is the whole");
  for (const align::Judge judge : {align::Judge::kAll, align::Judge::kCovered})
    require(align::count_links(links, gold, judge).error_rate() == 0.0,
            "gold links have no errors");
  file.check_inside(line, kAnySize);
  file.check_inside(line, kSmall);
}

void read(const std::filesystem::path& path, align::LinkFormat format) {
  try {
    const align::LinkFile file(path, format);
    for (std::size_t line = 0; line < file.size(); ++line) check_line(file, line);
  } catch (const attend::DataError& error) {
    require(attend::utf8::is_valid(error.what()), "messages are well-formed UTF-8");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static attend::fuzz::MemoryFile file;
  const auto& path = file.holding(attend::fuzz::text_of(data, size));
  read(path, align::LinkFormat::kPharaoh);
  read(path, align::LinkFormat::kGold);
  return 0;
}
