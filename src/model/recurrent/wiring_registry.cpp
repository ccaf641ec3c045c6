#include "model/recurrent/wiring_registry.h"

#include <functional>
#include <map>

#include "model/recurrent/bahdanau_wiring.h"
#include "model/recurrent/conditional_wiring.h"
#include "model/recurrent/luong_wiring.h"
#include "model/recurrent/plain_wiring.h"

namespace attend::model {
namespace {

using MakeWiring = std::function<std::shared_ptr<Wiring>(const ModelOptions&, int64_t)>;

template <class Kind>
std::shared_ptr<Wiring> make(const ModelOptions& options, int64_t memory_size) {
  return std::make_shared<Kind>(options, memory_size);
}

/// Every decoder wiring, by the name that configs use.
std::map<std::string, MakeWiring> registry() {
  return {
      {"bahdanau", make<BahdanauWiring>},
      {"conditional", make<ConditionalWiring>},
      {"luong", make<LuongWiring>},
      {"none", make<PlainWiring>},
  };
}

}  // namespace

std::vector<std::string> wiring_names() {
  std::vector<std::string> names;
  for (const auto& entry : registry()) names.push_back(entry.first);
  return names;
}

std::shared_ptr<Wiring> make_wiring(const ModelOptions& options, int64_t memory_size) {
  return registry().at(options.decoder.wiring)(options, memory_size);
}

}  // namespace attend::model
