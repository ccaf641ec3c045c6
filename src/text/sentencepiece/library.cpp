#include "text/sentencepiece/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "core/error.h"

namespace attend::text {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "attend_sentencepiece.so";

/// RTLD_DEEPBIND makes the module use its own protobuf symbols, not LibTorch's. dlmopen() with
/// LM_ID_BASE equals dlopen(), but AddressSanitizer permits RTLD_DEEPBIND with it (and does not see
/// the module's own allocations).
void* open_module(const fs::path& path) {
  return dlmopen(LM_ID_BASE, path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

/// The module beside the program, so that both can be moved together, or in the build folder.
fs::path module_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path() / kModule;
  return !error && fs::exists(beside, error) ? beside : fs::path(ATTEND_SENTENCEPIECE_MODULE);
}

const SentencePieceLibrary* load_module() {
  const fs::path path = module_path();
  void* module = open_module(path);
  void* entry = module == nullptr ? nullptr : dlsym(module, "attend_sentencepiece");
  if (entry == nullptr) {
    throw UserError(
        ExitCode::kInternal,
        fmt::format(
            "cannot load {}, a part of attend: {}; put it beside the program or build attend again",
            path.string(), dlerror()));
  }
  using Entry = const SentencePieceLibrary* (*)(std::ostream*);
  return reinterpret_cast<Entry>(entry)(&std::cerr);
}

}  // namespace

SentencePieceModel::~SentencePieceModel() = default;
SentencePieceLibrary::~SentencePieceLibrary() = default;

const SentencePieceLibrary& sentencepiece() {
  static const SentencePieceLibrary* library = load_module();
  return *library;
}

}  // namespace attend::text
