#include "app/lines/source_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "app/lines/source_line.h"
#include "core/closest_name.h"
#include "core/error.h"
#include "core/file.h"

namespace attend::app {
namespace {

/// Parses NAME=FILE,NAME=FILE; empty if `given` is not of that form.
std::map<std::string, std::string> named_files(const std::string& given) {
  std::map<std::string, std::string> files;
  std::istringstream parts(given);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) return {};
    const std::string name = part.substr(0, equals);
    if (!files.emplace(name, part.substr(equals + 1)).second)
      throw UsageError(fmt::format("{}: the source {} is given twice", given, name));
  }
  return files;
}

/// The files in the order of the model's names.
std::vector<std::filesystem::path> in_order(const std::string& given,
                                            std::map<std::string, std::string> files,
                                            const LoadedModel& model) {
  std::vector<std::filesystem::path> ordered;
  const std::vector<std::string> names = data::source_names(model.experiment.data);
  for (const std::string& name : names) {
    const auto found = files.find(name);
    if (found == files.end()) {
      throw UsageError(fmt::format("{}: no file for the source {}; the model in {} reads {}", given,
                                   name, model.directory.string(), join(names)));
    }
    ordered.emplace_back(found->second);
    files.erase(found);
  }
  if (files.empty()) return ordered;
  const std::string& other = files.begin()->first;
  throw UsageError(fmt::format("{}: the model in {} reads no source {}{}; it reads {}", given,
                               model.directory.string(), other, did_you_mean(other, names),
                               join(names)));
}

/// Replaces tabs, which separate sources.
std::string without_tabs(std::string line) {
  std::ranges::replace(line, kBetweenSources, ' ');
  return line;
}

DataError different_lengths(const std::filesystem::path& shorter, int64_t lines,
                            const std::filesystem::path& longer) {
  return {shorter, fmt::format("has {} lines, but {} has more; the files must match line by line",
                               lines, longer.string())};
}

void paste(const std::vector<std::filesystem::path>& files, const std::filesystem::path& result) {
  std::vector<LineReader> readers;
  for (const std::filesystem::path& file : files) readers.emplace_back(file);
  std::ofstream out(result, std::ios::binary);
  while (auto line = readers.front().next()) {
    out << without_tabs(std::move(*line));
    for (std::size_t i = 1; i < readers.size(); ++i) {
      auto beside = readers[i].next();
      if (!beside) throw different_lengths(files[i], readers[i].line_number(), files.front());
      out << kBetweenSources << without_tabs(std::move(*beside));
    }
    out << '\n';
  }
  for (std::size_t i = 1; i < readers.size(); ++i) {
    if (readers[i].next()) {
      throw different_lengths(files.front(), readers.front().line_number(), files[i]);
    }
  }
  for (const LineReader& reader : readers) warn_about_repairs(reader);
  out.close();
  if (!out) throw DataError(result, "cannot write the file");
}

}  // namespace

SourceFile::SourceFile(const std::string& given, const LoadedModel& model) : path_(given) {
  if (data::count_sources(model.experiment.data) == 1) return;
  std::map<std::string, std::string> files = named_files(given);
  if (files.empty()) return;
  const auto ordered = in_order(given, std::move(files), model);
  folder_.emplace();
  path_ = folder_->path() / "sources";
  paste(ordered, path_);
}

}  // namespace attend::app
