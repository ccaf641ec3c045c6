// One loaded model, several threads.
#include <gmock/gmock.h>

#include <thread>

#include "app/translate/translator.h"
#include "tests/cli/tiny_model.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::app {
namespace {

using attend::test::TempDir;

/// Each thread translates its own text; returns the translations with their scores.
std::vector<std::string> translated_text(const Translator& translator, int thread) {
  constexpr std::string_view kWords = "abcd";
  std::vector<std::string> results;
  for (int i = 0; i < 60; ++i) {
    std::string line;
    for (int word = 0; word <= (i + thread) % 9; ++word)
      line += {kWords[static_cast<std::size_t>(i + word * (thread + 1)) % 4], ' '};
    const SourceLine source = translator.prepare(line, i + 1, "");
    const auto best = translator.translate({&source}, {}).front().front();
    results.push_back(best.line.text + " " + std::to_string(best.score));
  }
  return results;
}

void expect_same_by_four_threads(const std::vector<LoadedModel>& models) {
  const Translator shared(models, {}), alone(models, {});
  std::vector<std::vector<std::string>> found(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back(
        [&, i] { found[static_cast<std::size_t>(i)] = translated_text(shared, i); });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(found[static_cast<std::size_t>(i)], translated_text(alone, i)) << i;
}

TEST(SharedTranslator, GivesFourThreadsTheSameResults) {
  const TempDir dir;
  const std::string model = cli::test::train_tiny_model(dir, "model", {}).string();
  expect_same_by_four_threads(load_models({model}, attend::test::tested_device()));
}

TEST(SharedTranslator, GivesFourThreadsTheSameResultsWithAnEnsemble) {
  const TempDir dir;
  const std::string a = cli::test::train_tiny_model(dir, "a", {}).string();
  const std::string b = cli::test::train_tiny_model(dir, "b", {"seed=4"}).string();
  expect_same_by_four_threads(load_models({a, b}, attend::test::tested_device()));
}

}  // namespace
}  // namespace attend::app
