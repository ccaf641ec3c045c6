#include "model/hierarchical/options.h"

#include "model/recurrent/layer_keys.h"

namespace attend::model {

void describe(config::Schema<HierarchicalEncoderOptions>& schema) {
  describe_reading_layers(schema);
}

}  // namespace attend::model
