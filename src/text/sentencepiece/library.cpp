#include "text/sentencepiece/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <system_error>

#include "core/error.h"
#include "text/sentencepiece/module_path.h"

namespace attend::text {
namespace {

namespace fs = std::filesystem;

/// RTLD_DEEPBIND makes the module use its own protobuf symbols, not LibTorch's. dlmopen() with
/// LM_ID_BASE equals dlopen(), but AddressSanitizer permits RTLD_DEEPBIND with it (and does not see
/// the module's own allocations).
void* open_module(const fs::path& path) {
  return dlmopen(LM_ID_BASE, path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
}

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) return program.parent_path();
  throw DataError(
      fmt::format("cannot read /proc/self/exe, which says where the parts of attend are: "
                  "{}; mount /proc",
                  error.message()));
}

const SentencePieceLibrary* load_module() {
  const fs::path path = find_module(program_folder());
  void* module = open_module(path);
  void* entry = module == nullptr ? nullptr : dlsym(module, "attend_sentencepiece");
  if (entry == nullptr) {
    throw DataError(fmt::format("cannot load {}, a part of attend: {}; install attend again",
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
