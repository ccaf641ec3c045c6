// Usage: sample_page FILE. Writes the attention page that page_test.py opens in a browser.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "draw/attention_page.h"

namespace attend::draw {
namespace {

using Names = std::vector<std::string>;

// "das haus" in three pieces, "the house" in three.
PageReading house(std::vector<float> weights, double score) {
  PageReading reading;
  reading.matrix = {.target = {"▁the", "▁ho", "use", "</s>"},
                    .source = {"▁das", "▁ha", "us", "</s>"},
                    .weights = align::WeightTable(4, 4, std::move(weights)),
                    .heads = {}};
  reading.words = PageWords{.source = {{"das", "haus", "</s>"}, {0, 1, 1, 2}, true},
                            .target = {{"the", "house", "</s>"}, {0, 1, 1, 2}, true}};
  reading.links = align::Links{{0, 0}, {1, 1}};
  reading.score = score;
  return reading;
}

align::AttentionMatrix layer(const Names& rows, const Names& columns, std::vector<float> weights) {
  return {.target = rows,
          .source = columns,
          .weights = align::WeightTable(4, 4, std::move(weights)),
          .heads = {}};
}

void add_kinds(PageReading& reading) {
  const Names& source = reading.matrix.source;
  const std::vector<float> itself = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  align::AttentionMatrix first =
      layer(source, source, {1, 0, 0, 0, .5F, .5F, 0, 0, .5F, 0, .5F, 0, .5F, 0, 0, .5F});
  first.heads = {align::WeightTable(4, 4, itself),
                 align::WeightTable(4, 4, {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})};
  align::AttentionMatrix target =
      layer(reading.matrix.target, {"<s>", "▁the", "▁ho", "use"},
            {1, 0, 0, 0, .5F, .5F, 0, 0, 0, 0, 1, 0, .25F, .25F, .25F, .25F});
  target.source_end = false;
  reading.words->input = {{"<s>", "the", "house"}, {0, 1, 2, 2}, false};
  reading.kinds = {{"encoder",
                    {first, layer(source, source, itself)},
                    layer(source, source, std::vector<float>(16, 0.25F))},
                   {"decoder", {target}, {}}};
}

PageSentence two_models() {
  PageReading first = house({0.7F, 0.1F, 0.15F, 0.05F, 0.05F, 0.62F, 0.32344F, 0.00656F,  //
                             0.15F, 0.4F, 0.4F, 0.05F, 0.0F, 0.0F, 0.25F, 0.75F},
                            -2.0);
  first.matrix.heads = {align::WeightTable(4, 4, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
                        align::WeightTable(4, 4, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1})};
  add_kinds(first);
  PageReading second = house(std::vector<float>(16, 0.25F), -6.0);
  return {.id = 0,
          .readings = {std::move(first), std::move(second)},
          .gold = align::GoldLinks{.sure = {{0, 0}}, .possible = {{0, 0}, {1, 1}}}};
}

PageSentence of_names(int64_t id, const Names& names) {
  PageReading reading;
  reading.matrix = {.target = names,
                    .source = names,
                    .target_end = false,
                    .source_end = false,
                    .weights = align::WeightTable(names.size(), names.size()),
                    .heads = {}};
  for (std::size_t i = 0; i < names.size(); ++i) reading.matrix.weights(i, i) = 1.0F;
  return {.id = id, .readings = {std::move(reading)}, .gold = {}};
}

// Two words and three slots; the first head writes. The mean over heads is all zeros, because no
// view shows it.
align::AttentionMatrix memory_layer(const Names& rows, std::vector<align::WeightTable> heads) {
  return {.target = rows,
          .source = {"1", "2", "3"},
          .target_end = false,
          .source_end = false,
          .weights = align::WeightTable(2, 3),
          .heads = std::move(heads)};
}

PageSentence memory(int64_t id) {
  const Names words = {"x", "y"};
  const align::WeightTable write(2, 3, {1, 0, 0, 0, 1, 0}), read(2, 3, {0, 0, 1, 0, 0, 1});
  const align::WeightTable other(2, 3, {.5F, .5F, 0, 0, .5F, .5F});
  PageSentence sentence = of_names(id, words);
  sentence.readings[0].matrix.weights = {};
  sentence.readings[0].kinds = {{"encoder_memory", {memory_layer(words, {write, read, other})}, {}},
                                {"decoder_memory", {memory_layer(words, {write, read})}, {}}};
  return sentence;
}

void write(const char* path) {
  AttentionPage page(path, {.title = "</title><script>", .models = {"first", "second & last"}});
  page.add(two_models());
  page.add(of_names(1, {"</script><script>throw 1</script>", "<!--", "\u2028", "\"'&amp;",
                        std::string("a\0b", 3), "{{data}}"}));
  page.add(of_names(2, {"مرحبا", "你好", "шалом"}));
  PageSentence none = of_names(3, {"reversed"});
  none.readings[0].matrix.weights = {};
  page.add(none);
  page.add(memory(4));
  for (int64_t id = 5; id < 5000; ++id) page.add(of_names(id, {fmt::format("word{}", id), "."}));
  page.commit();
}

}  // namespace
}  // namespace attend::draw

int main(int count, char** arguments) {
  if (count != 2) return 2;
  attend::draw::write(arguments[1]);
  return 0;
}
