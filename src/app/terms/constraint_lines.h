#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/terms/phrase_cutter.h"

namespace attend::app {

/// A line of a file, for messages.
struct LinePlace {
  const std::filesystem::path& path;
  int64_t line = 0;  ///< from 1
};

/// Reads the constraints of a line to translate: a JSON list of texts that its translation must
/// contain, each a string or a list of alternatives (["grün", ["Haus", "Gebäude"]]); an empty line
/// or list: none. Throws DataError, naming file, line and column, for anything else and for texts
/// that no translation can contain.
[[nodiscard]] std::vector<std::vector<decode::Phrase>> parse_constraints(
    std::string_view line, const LinePlace& place, const PhraseCutter& cutter);

}  // namespace attend::app
