#include "model/recurrent/wiring_registry.h"

#include <functional>
#include <map>
#include <type_traits>
#include <utility>

#include "model/recurrent/answer_wiring.h"
#include "model/recurrent/bahdanau_wiring.h"
#include "model/recurrent/conditional_wiring.h"
#include "model/recurrent/luong_wiring.h"
#include "model/recurrent/plain_wiring.h"

namespace attend::model {
namespace {

/// A wiring's maker with what is known of it before it is made.
struct WiringEntry {
  std::function<std::shared_ptr<Wiring>(const ModelOptions&, int64_t, const nn::Grouping&)> make;
  bool attends = true;
  std::string meaning;
};

template <class Kind>
std::shared_ptr<Wiring> make_kind(const ModelOptions& options, int64_t memory_size,
                                  const nn::Grouping& grouping) {
  if constexpr (Kind::kAttends) {
    return std::make_shared<Kind>(
        options,
        std::make_shared<nn::Attention>(options.attention, options.decoder.hidden, memory_size,
                                        nn::Projections::several_heads, grouping));
  } else if constexpr (std::is_constructible_v<Kind, const ModelOptions&, int64_t>) {
    return std::make_shared<Kind>(options, memory_size);
  } else {
    return std::make_shared<Kind>(options);
  }
}

template <class Kind>
WiringEntry wiring(std::string meaning) {
  return {make_kind<Kind>, Kind::kAttends, std::move(meaning)};
}

/// Every decoder wiring, by the name that configs use.
std::map<std::string, WiringEntry> wirings() {
  return {
      {"answer", wiring<AnswerWiring>(
                     "no attention: what the encoder gives at the end of the source, times a "
                     "matrix, joins every output, as a memory network answers (Sukhbaatar "
                     "et al. 2015)")},
      {"bahdanau", wiring<BahdanauWiring>("before the cell, with the state before as the query; "
                                          "the cell reads the context (Bahdanau et al. 2015)")},
      {"conditional", wiring<ConditionalWiring>("between two cells of a step, with the state of "
                                                "the first as the query (Sennrich et al. 2017)")},
      {"luong", wiring<LuongWiring>("after the cell, with its state as the query; "
                                    "tanh(W [context; state]) goes to the output (Luong et al. "
                                    "2015)")},
      {"none",
       wiring<PlainWiring>("no attention: the decoder has its first state from the encoder, "
                           "and no more (Sutskever et al. 2014)")},
  };
}

}  // namespace

std::vector<std::string> wiring_names() {
  std::vector<std::string> names;
  for (const auto& entry : wirings()) names.push_back(entry.first);
  return names;
}

std::string wiring_meanings() {
  std::string text;
  for (const auto& [name, entry] : wirings()) text += "\n  " + name + ": " + entry.meaning;
  return text;
}

bool wiring_attends(const std::string& name) {
  return wirings().at(name).attends;
}

std::shared_ptr<Wiring> make_wiring(const ModelOptions& options, int64_t memory_size,
                                    const nn::Grouping& grouping) {
  return wirings().at(options.decoder.wiring).make(options, memory_size, grouping);
}

}  // namespace attend::model
