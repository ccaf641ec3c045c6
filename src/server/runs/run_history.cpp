#include "server/runs/run_history.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"

namespace attend::server {
namespace {

using nlohmann::json;

constexpr std::size_t kBlock = std::size_t{1} << 16;  // bytes read at a time
constexpr std::size_t kLongestLine = std::size_t{1}
                                     << 20;  // training writes lines of a few hundred bytes
constexpr std::size_t kTail = 256;  // long enough to include "timing", which differs between runs

/// No real run has more updates, and JavaScript has no larger exact integers.
constexpr int64_t kMostUpdates = int64_t{1} << 53;

bool is_update(const json& number) {
  if (number.is_number_unsigned()) return number.get<uint64_t>() <= kMostUpdates;
  return number.is_number_integer() && number.get<int64_t>() >= 0;
}

/// True if the keys that are used here have the types that training writes.
bool is_history(const json& line) {
  const auto is = [&](const char* key, bool (json::*has_type)() const noexcept, bool needed) {
    const auto found = line.find(key);
    return found == line.end() ? !needed : ((*found).*has_type)();
  };
  return line.contains("update") && is_update(line["update"]) &&
         is("type", &json::is_string, true) && is("best", &json::is_boolean, false) &&
         is("metric", &json::is_string, false) && is("timing", &json::is_object, false);
}

double number(const json& object, const char* key) {
  const auto found = object.find(key);
  const bool known = found != object.end() && found->is_number();
  return known ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

TrainPoint train_point(const json& line) {
  return {line["update"].get<int64_t>(), number(line, "loss"), number(line, "learning_rate"),
          number(line.value("timing", json::object()), "target_tokens_per_second")};
}

void add_validation(const json& line, RunCurves& curves) {
  const auto update = line["update"].get<int64_t>();
  curves.validation.push_back({update, number(line, "loss"), number(line, "bleu")});
}

/// Notes the best line, a validation or an average of snapshots.
void note_best(const json& line, RunCurves& curves) {
  if (!line.value("best", false)) return;
  // Old histories have no "metric".
  const bool by_bleu = line.value("metric", line.contains("bleu") ? "bleu" : "loss") == "bleu";
  const char* metric = by_bleu ? "bleu" : "loss";
  curves.best = {metric, number(line, metric), line["update"].get<int64_t>()};
}

void add_line(std::string_view text, RunCurves& curves) {
  const json line = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object() || !is_history(line)) {
    ++curves.unreadable;
    return;
  }
  curves.updates = line["update"].get<int64_t>();
  if (line["type"] == "train") curves.train.push_back(train_point(line));
  if (line["type"] == "validation") add_validation(line, curves);
  if (line["type"] != "train") note_best(line, curves);
}

}  // namespace

RunHistory::RunHistory(std::filesystem::path file) : file_(std::move(file)) {}

void RunHistory::refresh() {
  const auto now = stamp_of(file_);
  if (now && now == seen_ && problem_.empty()) return;
  problem_.clear();
  try {
    if (!now) throw DataError(file_, "not a regular file that can be read");
    read(*now);
  } catch (const UserError& error) {
    problem_ = error.what();
  }
  seen_ = now;
}

void RunHistory::forget() {
  curves_ = {};
  read_ = 0;
  tail_.clear();
}

void RunHistory::read(const FileStamp& now) {
  std::ifstream file(file_, std::ios::binary);
  if (!file) throw DataError(file_, "cannot open the file");
  if (!is_continued(file, now)) {
    forget();
    file.clear();
  }
  file.seekg(static_cast<std::streamoff>(read_));
  std::string rest;
  std::string block(kBlock, '\0');
  while (file.read(block.data(), kBlock) || file.gcount() > 0)
    take_lines(std::string_view(block).substr(0, static_cast<std::size_t>(file.gcount())), rest);
  if (file.bad()) throw DataError(file_, "cannot read the file");
}

/// True if the file still begins with the bytes read so far, as far as its size, its time and the
/// last of those bytes show.
bool RunHistory::is_continued(std::istream& file, const FileStamp& now) const {
  if (now == seen_) return true;
  if (now.size < read_ || (seen_ && now.size == seen_->size)) return false;
  std::string there(tail_.size(), '\0');
  file.seekg(static_cast<std::streamoff>(read_ - tail_.size()));
  file.read(there.data(), static_cast<std::streamsize>(there.size()));
  return file.good() && there == tail_;
}

/// `rest`: the incomplete line at the end of the bytes so far; replaced by the one at the end of
/// `bytes`.
void RunHistory::take_lines(std::string_view bytes, std::string& rest) {
  std::size_t begin = 0;
  std::size_t end = bytes.find('\n');
  end = end == std::string_view::npos ? end : rest.size() + end;
  rest += bytes;
  for (; end != std::string::npos; end = rest.find('\n', begin)) {
    add_line(std::string_view(rest).substr(begin, end - begin), curves_);
    begin = end + 1;
  }
  read_ += begin;
  tail_.append(rest, begin - std::min(begin, kTail), std::min(begin, kTail));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), kTail));
  rest.erase(0, begin);
  if (rest.size() > kLongestLine)
    throw DataError(file_, "a line exceeds 1 MiB; training does not write such lines");
}

}  // namespace attend::server
