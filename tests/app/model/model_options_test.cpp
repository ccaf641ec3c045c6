#include "app/model/model_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "tests/support/temp_dir.h"
#include "text/tokenizer_training.h"

namespace attend::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A tokenizer with the words "a", "b", "c" and "|||".
class ModelOptionsOf : public ::testing::Test {
 protected:
  ModelOptionsOf() {
    text::TokenizerOptions options;
    options.type = text::TokenizerType::word;
    options.vocabulary = 8;
    std::vector<std::string> lines{"a b ||| c", "c ||| b a", "b"};
    const std::string model = text::train_tokenizer(options, false, [&lines, next = 0U]() mutable {
      return next < lines.size() ? std::optional(lines[next++]) : std::nullopt;
    });
    write_file_atomically(folder_.path() / "word.model", model);
    tokenizer_.emplace(folder_.path() / "word.model", false);
  }

  template <class Family = model::HierarchicalEncoderOptions>
  [[nodiscard]] Family with(const std::string& separator) const {
    Experiment experiment;
    experiment.model.encoder = Family();
    experiment.data.segments.separator = separator;
    return std::get<Family>(model_options(experiment, *tokenizer_).encoder);
  }

  test::TempDir folder_;
  std::optional<text::Tokenizer> tokenizer_;
};

TEST_F(ModelOptionsOf, HaveTheIdOfTheSeparator) {
  const text::TokenId separator = tokenizer_->encode("a ||| b").at(1);
  EXPECT_EQ(with<model::HierarchicalEncoderOptions>("|||").separator, separator);
  EXPECT_EQ(with<model::MemoryEncoderOptions>("|||").separator, separator);
  EXPECT_EQ(with("").separator, -1);
}

TEST_F(ModelOptionsOf, RefuseASeparatorThatIsNotAPiece) {
  EXPECT_THAT([&] { (void)with("###"); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("data.segments.separator: ### is not a single piece"),
                        HasSubstr("tokenizer.type: word"))));
  EXPECT_THAT([&] { (void)with("a b"); },
              ThrowsMessage<ConfigError>(HasSubstr(", but \u2581a \u2581b")));
}

}  // namespace
}  // namespace attend::app
