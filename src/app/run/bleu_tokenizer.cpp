#include "app/run/bleu_tokenizer.h"

#include <string>

#include "core/file.h"
#include "core/log.h"
#include "core/named_enum.h"
#include "metrics/tokenizer/tokenizers.h"
#include "metrics/tokenizer/writing.h"

namespace attend::app {
namespace {

metrics::Writing writing_of_file(const std::string& file) {
  metrics::Writing writing;
  LineReader reader(file);
  while (reader.line_number() < metrics::Writing::kEnough) {
    const auto line = reader.next();
    if (!line) break;
    writing.add(*line);
  }
  return writing;
}

}  // namespace

void choose_tokenizer_of_bleu(Experiment& experiment) {
  train::BleuTokenizer& tokenize = experiment.training.validation.tokenize;
  if (tokenize != train::BleuTokenizer::automatic) {
    static_cast<void>(metrics::find_tokenizer(enum_name(tokenize)));
    return;
  }
  const data::DataOptions& data = experiment.data;
  const std::string& file = data.dev.empty() ? data.train.front().target : data.dev.target;
  const metrics::Writing writing = writing_of_file(file);
  tokenize = enum_value<train::BleuTokenizer>(writing.tokenizer()).value();
  log::info("BLEU's tokenizer: {} ({}: {}; training.validation.tokenize)", tokenize, file,
            writing.name());
}

}  // namespace attend::app
