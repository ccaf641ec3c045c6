#include "app/terms/constraint_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/excerpt.h"
#include "core/utf8.h"

namespace attend::app {
namespace {

constexpr const char* kExpected =
    "expected a JSON list of strings or lists of strings, such as [\"Haus\"] or [[\"Haus\", "
    "\"Gebäude\"], \"grün\"]";

/// Reads characters and counts them, so that the position of a parser event is known.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t& count) : at_(at), count_(&count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* count_;
};

/// Receives the events of nlohmann's parser and builds the groups.
class ConstraintParser final : public nlohmann::json_sax<nlohmann::json> {
 public:
  ConstraintParser(std::string_view line, const LinePlace& place, const PhraseCutter& cutter)
      : line_(line), place_(place), cutter_(cutter) {}

  std::vector<std::vector<decode::Phrase>> parse() {
    nlohmann::json::sax_parse(CountingIterator(line_.data(), read_),
                              CountingIterator(line_.data() + line_.size(), read_), this);
    return std::move(groups_);
  }

  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("true or false"); }
  bool number_integer(number_integer_t) override { refuse("a number"); }
  bool number_unsigned(number_unsigned_t) override { refuse("a number"); }
  bool number_float(number_float_t, const string_t&) override { refuse("a number"); }
  bool binary(binary_t&) override { refuse("binary data"); }
  bool start_object(std::size_t) override { refuse("an object"); }
  bool key(string_t&) override { refuse("a key"); }
  bool end_object() override { refuse("the end of an object"); }

  bool string(string_t& text) override {
    const std::size_t begin = begin_of_value();
    if (depth_ == 0) refuse("a string outside a list");
    if (const std::string problem = cutter_.problem(text); !problem.empty())
      fail(begin, fmt::format("\"{}\" {}", excerpt(text), problem));
    texts_.push_back(text);
    if (depth_ == 1) add_group();
    end_of_last_ = read_;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 2) refuse("a list inside a list of alternatives");
    begin_of_list_ = begin_of_value();
    ++depth_;
    end_of_last_ = read_;
    return true;
  }
  bool end_array() override {
    if (depth_ == 2 && texts_.empty()) expect_list(begin_of_list_, "an empty list of alternatives");
    if (depth_ == 2) add_group();
    --depth_;
    end_of_last_ = read_;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::json::exception&) override {
    expect_list(byte > 0 ? byte - 1 : 0, "not JSON");
  }

 private:
  /// The byte at which the value of this event begins.
  [[nodiscard]] std::size_t begin_of_value() const {
    return std::min(line_.find_first_not_of(" \t,", end_of_last_), line_.size());
  }

  void add_group() {
    groups_.push_back(cutter_.cut(texts_));
    texts_.clear();
  }

  [[noreturn]] void refuse(const char* found) const { expect_list(begin_of_value(), found); }

  [[noreturn]] void expect_list(std::size_t byte, const char* found) const {
    fail(byte, fmt::format("{}; {}", found, kExpected));
  }

  [[noreturn]] void fail(std::size_t byte, const std::string& message) const {
    const std::size_t column = utf8::length(line_.substr(0, std::min(byte, line_.size()))) + 1;
    const std::string file = place_.path == "-" ? "standard input" : place_.path.string();
    throw DataError(fmt::format("{}:{}:{}: {}", file, place_.line, column, message));
  }

  std::string_view line_;
  const LinePlace& place_;
  const PhraseCutter& cutter_;
  std::size_t read_ = 0;         // bytes that the parser has read
  std::size_t end_of_last_ = 0;  // of the last value or bracket
  std::size_t begin_of_list_ = 0;
  int depth_ = 0;
  std::vector<std::string> texts_;  // of the open group
  std::vector<std::vector<decode::Phrase>> groups_;
};

}  // namespace

std::vector<std::vector<decode::Phrase>> parse_constraints(std::string_view line,
                                                           const LinePlace& place,
                                                           const PhraseCutter& cutter) {
  if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
  return ConstraintParser(line, place, cutter).parse();
}

}  // namespace attend::app
