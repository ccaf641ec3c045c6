// `translate` searches batches in parallel. An exception in one must end all of them and leave the
// process usable.
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <limits>

#include "app/translate/translate_lines.h"
#include "core/error.h"
#include "core/signal.h"
#include "decode/length_batches.h"
#include "storage/weights_file.h"
#include "tests/cli/program.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::app {
namespace {

using attend::test::TempDir;
using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr int kLines = 200;
// Lines per round: two threads with batches of one line.
const int kRound = static_cast<int>(2 * decode::BatchSize{.size = 1}.window());

/// kLines lines of good words; line `bad` (from 0) has the word of spoil().
std::string text_with(int bad) {
  std::string text;
  for (int i = 0; i < kLines; ++i) text += i == bad ? "a d b\n" : "a b c\n";
  return text;
}

std::ptrdiff_t count_lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// Sets the model's vector of the source word "d" to NaN.
void spoil(const std::string& directory) {
  const LoadedModel model = load_model(directory, attend::test::tested_device());
  storage::TensorFile content = storage::load_tensors(model.weights_file);
  const int64_t word = model.source->encode_pieces("d").front().id;
  content.tensors.at("source_embedding.weight")[word].fill_(
      std::numeric_limits<float>::quiet_NaN());
  storage::save_tensors(model.weights_file, content);
}

class TranslateWorkers : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { model_.make(); }
  static void TearDownTestSuite() { model_.clear(); }

  [[nodiscard]] cli::test::Ended translate(const std::string& text) const {
    return cli::test::run_program({"translate", "--model", model_.path(), "--input",
                                   dir_.write("input", text).string(), "--device", "cpu",
                                   "--threads", "2", "--batch-size", "1"});
  }

  static inline cli::test::SuiteModel model_;
  TempDir dir_;
};

/// Requests a stop when the first line arrives.
class StoppingSink final : public TranslationSink {
 public:
  void add(const TranslatedLine&) override {
    if (lines_++ == 0) std::raise(SIGINT);
  }
  [[nodiscard]] int lines() const { return lines_; }

 private:
  int lines_ = 0;
};

/// A signal during the first line ends the translation after its round. On a GPU one
/// worker translates, so that a round has half the lines.
void expect_end_after_a_round(const std::string& model, const std::filesystem::path& text) {
  const int threads = at::get_num_threads();
  at::set_num_threads(2);
  install_signal_handlers();
  const auto models = load_models({model}, attend::test::tested_device());
  const Translator translator(models, {});
  TranslateLinesOptions options;
  options.search.decoding.batch_size = 1;
  const int round = attend::test::tested_device().is_cpu() ? kRound : kRound / 2;
  LineReader input(text);
  StoppingSink sink;
  EXPECT_THAT(
      [&] { translate_lines(input, translator, options, sink); },
      testing::ThrowsMessage<Stopped>(HasSubstr("after " + std::to_string(round) + " lines")));
  EXPECT_EQ(sink.lines(), round);
  clear_requested_stop();
  std::signal(SIGINT, SIG_DFL);
  at::set_num_threads(threads);
}

TEST_F(TranslateWorkers, EndWithASignalAfterWholeRounds) {
  expect_end_after_a_round(model_.path(), dir_.write("input", text_with(-1)));
}

// Regression: `yes '' | attend translate` did not stop, because empty lines need no search.
TEST_F(TranslateWorkers, EndWithASignalEvenIfAllLinesAreEmpty) {
  expect_end_after_a_round(model_.path(), dir_.write("input", std::string(3 * kRound, '\n')));
}

TEST_F(TranslateWorkers, EndWithTheErrorOfOneOfThem) {
  spoil(model_.path());
  const int kBad = 3 * kRound + 17;
  const cli::test::Ended failed = translate(text_with(kBad));
  EXPECT_EQ(failed.code, 4) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("the model's output is not finite"));
  EXPECT_EQ(count_lines(failed.out), 3 * kRound) << "the complete rounds before";
  EXPECT_THAT(failed.out, EndsWith("\n"));

  const cli::test::Ended done = translate(text_with(-1));
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(count_lines(done.out), kLines);
}

}  // namespace
}  // namespace attend::app
