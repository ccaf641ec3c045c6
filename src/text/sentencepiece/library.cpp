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

/// Sanitizers cannot follow a module that binds to its own symbols first. Without that, programs
/// that use LibTorch as well must not touch the tokenizer.
#if defined(__SANITIZE_ADDRESS__)  // gcc's
#define ATTEND_UNDER_ADDRESS_SANITIZER
#elif defined(__has_feature)  // clang's
#if __has_feature(address_sanitizer)
#define ATTEND_UNDER_ADDRESS_SANITIZER
#endif
#endif
#if defined(ATTEND_UNDER_ADDRESS_SANITIZER)
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

/// Beside the program, so that both can be copied elsewhere; else where it was built.
fs::path module_path() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path beside = program.parent_path() / kModule;
  return !error && fs::exists(beside, error) ? beside : fs::path(ATTEND_SENTENCEPIECE_MODULE);
}

const SentencePieceLibrary* load_module() {
  const fs::path path = module_path();
  void* module = dlopen(path.c_str(), kFlags);
  void* entry = module == nullptr ? nullptr : dlsym(module, "attend_sentencepiece");
  if (entry == nullptr) {
    throw UserError(
        ExitCode::kInternal,
        fmt::format(
            "{}, a part of attend, could not be loaded: {}; put it beside the program, or build "
            "attend again",
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
