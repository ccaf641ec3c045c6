#include "cli/reference/completion.h"

namespace attend::cli {

std::vector<std::string> shell_names() {
  return {"bash", "zsh", "fish"};
}

std::string completion(const std::string& shell, const ProgramTable& table,
                       const std::vector<KeyEntry>& keys) {
  if (shell == "zsh") return zsh_completion(table, keys);
  if (shell == "fish") return fish_completion(table, keys);
  return bash_completion(table, keys);
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace attend::cli
