// main() for fuzz targets without libFuzzer. Runs the seeds, then random mutations of them. The
// same arguments give the same inputs. Accepts those arguments of libFuzzer that scripts/fuzz.sh
// and CTest use:
//   TARGET [-runs=N] [-seed=N] [-max_len=BYTES] [-max_total_time=S] [-timeout=S]
//          [-artifact_prefix=PATH] [FILE_OR_FOLDER...]
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace {

using attend::Random;
using Bytes = std::string;

constexpr int kTimeoutCode = 70;  // as libFuzzer

/// The running input, which the handlers save when the process dies.
struct Current {
  const Bytes* input = nullptr;
  std::string artifacts;
};

Current& current() {
  static Current value;
  return value;
}

void save_input(const char* kind) {
  if (current().input == nullptr) return;
  const std::string path = current().artifacts + kind + "-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << *current().input;
  std::fprintf(stderr, "the input is in %s\n", path.c_str());
}

void save_crash() {
  save_input("crash");
}

void on_timeout(int) {
  save_input("timeout");
  std::fprintf(stderr, "ERROR: timeout\n");
  ::_exit(kTimeoutCode);
}

struct Arguments {
  std::map<std::string, std::string> values;
  std::vector<std::string> paths;

  [[nodiscard]] int64_t number(const std::string& name, int64_t otherwise) const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : std::stoll(found->second);
  }
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (argument.starts_with('-') && equals != std::string::npos) {
      arguments.values[argument.substr(1, equals - 1)] = argument.substr(equals + 1);
    } else {
      arguments.paths.push_back(argument);
    }
  }
  return arguments;
}

Bytes read(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Reads files and folders in order of their paths, so that the order does not depend on the file
/// system.
std::vector<Bytes> read_seeds(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> seeds;
  for (const auto& file : files) seeds.push_back(read(file));
  if (seeds.empty()) seeds.emplace_back();
  return seeds;
}

/// Changes inputs at random; may insert parts of other seeds.
class Mutator {
 public:
  Mutator(const std::vector<Bytes>& seeds, std::size_t max_length, uint64_t seed)
      : seeds_(seeds), max_length_(max_length), random_(attend::stream(seed, "fuzzing")) {}

  Bytes next() {
    constexpr uint64_t kMostChanges = 8;
    Bytes bytes = any_seed();
    const uint64_t changes = random_.below(kMostChanges) + 1;
    for (uint64_t i = 0; i < changes; ++i) change(bytes);
    if (bytes.size() > max_length_) bytes.resize(max_length_);
    return bytes;
  }

 private:
  const Bytes& any_seed() { return seeds_[random_.below(seeds_.size())]; }
  std::size_t any_place(const Bytes& bytes) { return random_.below(bytes.size() + 1); }

  Bytes part_of(const Bytes& bytes) {
    const std::size_t begin = any_place(bytes);
    const std::size_t longest = std::min<std::size_t>(bytes.size() - begin, 64);
    return bytes.substr(begin, random_.below(longest + 1));
  }

  /// Bytes that often matter: limits of number types, quotes and delimiters of the formats.
  Bytes special() {
    static const std::vector<Bytes> all = {Bytes(1, '\0'),
                                           "\xff",
                                           "\x7f",
                                           "\x80",
                                           "\n",
                                           "\r\n",
                                           "-",
                                           "-1",
                                           "0",
                                           "p",
                                           " ",
                                           "\"",
                                           "\\",
                                           "{",
                                           "}",
                                           "[",
                                           "]",
                                           ":",
                                           ",",
                                           "&a ",
                                           "*a",
                                           "<<",
                                           "\xEF\xBB\xBF",
                                           "\xE2\x80\xA8",
                                           "\xC2",
                                           "\xED\xA0\x80",
                                           "\xF4\x90\x80\x80",
                                           "\xE2\x96\x81",
                                           "</s>",
                                           "2147483648",
                                           "18446744073709551615",
                                           "1e999",
                                           "\x1f\x8b\x08"};
    return all[random_.below(all.size())];
  }

  void change(Bytes& bytes) {
    const std::size_t at = any_place(bytes);
    switch (random_.below(7)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_.below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random_.below(256));
        break;
      case 2:
        bytes.insert(at, special());
        break;
      case 3:
        bytes.erase(at, random_.below(16) + 1);
        break;
      case 4:
        bytes.insert(at, part_of(bytes));
        break;
      case 5:
        bytes.insert(at, part_of(any_seed()));
        break;
      default:
        bytes.replace(at, 8, special());
        break;
    }
  }

  const std::vector<Bytes>& seeds_;
  std::size_t max_length_;
  Random random_;
};

void run(const Bytes& input, unsigned timeout) {
  current().input = &input;
  ::alarm(timeout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  ::alarm(0);
  current().input = nullptr;
}

int64_t run_all(const Arguments& arguments) {
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::seconds most_time(arguments.number("max_total_time", 0));
  const int64_t most_runs = arguments.number("runs", -1);
  const auto timeout = static_cast<unsigned>(arguments.number("timeout", 25));
  const std::vector<Bytes> seeds = read_seeds(arguments.paths);
  Mutator mutator(seeds, static_cast<std::size_t>(arguments.number("max_len", 4096)),
                  static_cast<uint64_t>(arguments.number("seed", 1)));
  int64_t runs = 0;
  for (const Bytes& seed : seeds) run(seed, timeout), ++runs;
  const auto time_is_up = [&] {
    return most_time.count() > 0 && std::chrono::steady_clock::now() - start >= most_time;
  };
  for (; (most_runs < 0 || runs < most_runs) && !time_is_up(); ++runs) run(mutator.next(), timeout);
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&argc, &argv);
  const Arguments arguments = parse(argc, argv);
  const auto prefix = arguments.values.find("artifact_prefix");
  if (prefix != arguments.values.end()) current().artifacts = prefix->second;
  __sanitizer_set_death_callback(save_crash);
  std::signal(SIGALRM, on_timeout);
  const int64_t runs = run_all(arguments);
  std::fprintf(stderr, "stat::number_of_executed_units: %lld\n", static_cast<long long>(runs));
  return 0;
}
