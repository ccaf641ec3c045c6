#pragma once
#include <string>

namespace attend::distributed {

/// Identifies the namespace of this process of one kind ("net", "pid"; namespaces(7)), on this
/// machine since its start. Equal for two processes that share the namespace. Host names, in
/// contrast, may be equal on machines made from one image.
[[nodiscard]] std::string kernel_namespace(const std::string& kind);

}  // namespace attend::distributed
