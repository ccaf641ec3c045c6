#include "metrics/tokenizer/tokenize_ja_mecab.h"

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <mutex>

#include "core/error.h"
#include "metrics/unicode_text.h"

namespace attend::metrics {
namespace {

constexpr const char* kLibrary = "libmecab.so.2";
constexpr const char* kDictionary = "/var/lib/mecab/dic/ipadic-utf8";

struct Tagger;  // mecab_t of mecab.h

/// MeCab, loaded at run time, because few users need it. "-r /dev/null" ignores the settings of the
/// machine and the user.
class Mecab {
 public:
  Mecab() {
    if (!std::filesystem::exists(kDictionary)) return;
    library_ = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) return;
    const auto make = reinterpret_cast<Tagger* (*)(const char*)>(dlsym(library_, "mecab_new2"));
    tokenize_ = reinterpret_cast<Tokenize>(dlsym(library_, "mecab_sparse_tostr2"));
    if (make == nullptr || tokenize_ == nullptr) return;
    tagger_ = make((std::string("-r /dev/null -Owakati -d ") + kDictionary).c_str());
  }

  [[nodiscard]] bool is_there() const { return tagger_ != nullptr; }

  std::string tokenize(std::string_view line) {
    const std::lock_guard lock(mutex_);
    const char* words = tokenize_(tagger_, line.data(), line.size());
    if (words == nullptr) throw UserError(ExitCode::kData, "MeCab cannot read a line");
    return words;
  }

 private:
  using Tokenize = const char* (*)(Tagger*, const char*, std::size_t);

  void* library_ = nullptr;
  Tokenize tokenize_ = nullptr;
  Tagger* tagger_ = nullptr;  // as long as the process
  std::mutex mutex_;          // a tagger serves one line at a time
};

Mecab& mecab() {
  static auto* const kMecab = new Mecab;
  return *kMecab;
}

}  // namespace

bool has_mecab() {
  return mecab().is_there();
}

void require_mecab() {
  if (has_mecab()) return;
  throw UsageError(
      "BLEU tokenizer ja-mecab needs MeCab and its IPA dictionary: apt-get install libmecab2 "
      "mecab-ipadic-utf8; char needs nothing");
}

std::string tokenize_ja_mecab(std::string_view line) {
  require_mecab();
  return std::string(strip(mecab().tokenize(strip(line))));
}

}  // namespace attend::metrics
