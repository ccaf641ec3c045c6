#include "model/recurrent/wiring_registry.h"

#include <type_traits>
#include <utility>

#include "model/recurrent/answer_wiring.h"
#include "model/recurrent/bahdanau_wiring.h"
#include "model/recurrent/conditional_wiring.h"
#include "model/recurrent/luong_wiring.h"
#include "model/recurrent/plain_wiring.h"

namespace attend::model {
namespace {

template <class Kind>
std::shared_ptr<Wiring> make_kind(const ModelOptions& options, int64_t memory_size,
                                  const nn::Grouping& grouping) {
  if constexpr (Kind::kAttends) {
    return std::make_shared<Kind>(
        options,
        std::make_shared<nn::Attention>(options.attention, recurrent_decoder(options).hidden,
                                        memory_size, nn::Projections::several_heads, grouping));
  } else if constexpr (std::is_constructible_v<Kind, const ModelOptions&, int64_t>) {
    return std::make_shared<Kind>(options, memory_size);
  } else {
    return std::make_shared<Kind>(options);
  }
}

}  // namespace

std::shared_ptr<Wiring> make_wiring(const ModelOptions& options, int64_t memory_size,
                                    const nn::Grouping& grouping) {
  const auto make = [&]<class Kind>(std::type_identity<Kind>) {
    return make_kind<Kind>(options, memory_size, grouping);
  };
  switch (recurrent_decoder(options).wiring) {
    case WiringKind::answer:
      return make(std::type_identity<AnswerWiring>());
    case WiringKind::bahdanau:
      return make(std::type_identity<BahdanauWiring>());
    case WiringKind::conditional:
      return make(std::type_identity<ConditionalWiring>());
    case WiringKind::luong:
      return make(std::type_identity<LuongWiring>());
    case WiringKind::none:
      return make(std::type_identity<PlainWiring>());
  }
  return nullptr;
}

}  // namespace attend::model
