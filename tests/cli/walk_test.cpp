// Checks that every flag of every command and every config key has the effect listed in the tables
// in tests/cli/walk, or is refused. A flag or key without an entry fails as well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "app/config/experiment.h"
#include "cli/commands.h"
#include "config/load.h"
#include "core/fault_point.h"
#include "runtime/blas.h"
#include "tests/cli/program.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tested_device.h"

namespace attend::cli {
namespace {

namespace fs = std::filesystem;
using attend::test::read_text;
using test::Ended;
using test::run_program;

const fs::path kTables = fs::path(ATTEND_SOURCE_DIR) / "tests/cli/walk";

/// A line of a table: NAME = VALUE | EFFECT | CONTEXT.
struct Entry {
  std::string name;
  std::string value;
  std::string effect;
  std::vector<std::string> context;
};

std::ostream& operator<<(std::ostream& stream, const Entry& entry) {
  return stream << entry.name << " = " << entry.value << " | " << entry.effect;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<Entry> read_table(const std::string& name) {
  std::vector<Entry> entries;
  std::ifstream file(kTables / name);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t equals = line.find(" = ");
    const std::size_t effect = line.find('|');
    const std::size_t context = line.find('|', effect + 1);
    entries.push_back(
        {line.substr(0, equals), trimmed(line.substr(equals + 3, effect - equals - 3)),
         trimmed(line.substr(effect + 1, context - effect - 1)), words(line.substr(context + 1))});
  }
  return entries;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

/// Log text without the parts that differ between runs: numbers, speeds and the command itself.
std::string steady(const std::string& log) {
  std::string result;
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    const auto has = [&line](const char* part) { return line.find(part) != std::string::npos; };
    if (has("update=") || has("/s)") || has(": attend train ") || has(" attend train ")) continue;
    for (char& c : line) {
      if (c >= '0' && c <= '9') c = '#';
    }
    line.erase(
        std::unique(line.begin(), line.end(), [](char a, char b) { return a == '#' && b == '#'; }),
        line.end());
    result += line + "\n";
  }
  return result;
}

/// The results of one run of the program, by the name of the effect.
struct Trace {
  int code = 0;
  std::map<std::string, std::string> seen;
  std::string errors;

  [[nodiscard]] std::vector<std::string> differences(const Trace& other) const {
    std::vector<std::string> names;
    for (const auto& [name, content] : seen) {
      if (content != other.seen.at(name)) names.push_back(name);
    }
    return names;
  }
};

bool depends_on_the_clock(const fs::path& file) {
  static const std::set<std::string> kNames = {"train.jsonl", "report.html", "last.state",
                                               "previous.state", "log"};
  return kNames.contains(file.filename().string());
}

std::string tree(const fs::path& folder, bool with_content) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::string text = entry.path().lexically_relative(folder).string();
    if (with_content && !depends_on_the_clock(entry.path())) text += ": " + read_text(entry.path());
    files.push_back(text);
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const std::string& file : files) all += file + "\n";
  return all;
}

/// The texts and models of the tables, and a place for runs.
class Workplace {
 public:
  Workplace() : home_(fs::current_path()) {
    write_texts();
    if (std::freopen("/dev/null", "r", stdin) == nullptr) throw std::runtime_error("/dev/null");
    train("model", {"training.keep.last=2"});
    train("other", {"seed=5"});
    train("back", {"data.train={source: @/train.tgt, target: @/train.src}",
                   "data.dev={source: @/dev.tgt, target: @/dev.src}"});
    train("spare", {});
    train("stack",
          {"model.encoder={type: transformer, heads: 2, cell: lstm, hidden: 256}",
           "model.decoder={type: transformer, heads: 2, layers: 2, cell: lstm, hidden: 512}"});
    train("tagged", {"data.train.tag=<new>"});
    train("pieces", {"tokenizer.vocabulary=7"});
    for (const char* shard : {"1", "2"}) {
      const Ended ended = run_program({"translate", "--model", (dir_ / "model").string(), "--input",
                                       (dir_ / "dev.src").string(), "--device", "cpu", "--shard",
                                       shard + std::string("/2"), "--output",
                                       (dir_ / ("shard." + std::string(shard))).string()});
      if (ended.code != 0) throw std::runtime_error(ended.err);
    }
    const Ended lexicon = run_program(
        {"lexicon", "--model", (dir_ / "model").string(), "--source", (dir_ / "train.src").string(),
         "--target", (dir_ / "train.tgt").string(), "--output", (dir_ / "lex").string()});
    if (lexicon.code != 0) throw std::runtime_error(lexicon.err);
    for (const char* model : {"source.model", "target.model"}) {
      fs::copy(dir_ / "pieces" / model, dir_ / model);
    }
  }
  ~Workplace() { fs::current_path(home_); }

  /// An empty folder, which becomes the working directory.
  [[nodiscard]] fs::path fresh() {
    const fs::path folder = dir_ / ("new" + std::to_string(++count_));
    fs::create_directories(folder);
    fs::current_path(folder);
    return folder;
  }
  [[nodiscard]] std::string at(const std::string& argument) const {
    return replaced(argument, "@", dir_.path().string());
  }
  /// The arguments of `attend train` with these settings.
  [[nodiscard]] std::vector<std::string> training(const fs::path& output,
                                                  const std::vector<std::string>& settings) const {
    std::vector<std::string> arguments = {"train",     (dir_ / "tiny.yaml").string(),
                                          "--output",  output.string(),
                                          "--device",  "cpu",
                                          "--threads", "1"};
    for (const std::string& setting : settings) {
      arguments.insert(arguments.end(), {"--set", at(setting)});
    }
    return arguments;
  }

 private:
  void write_texts() {
    const auto thrice = [](const std::string& text) { return text + text + text; };
    const std::string source = thrice("a b c\nb c d\nc d a b\nd a\n") + "a d\n";
    const std::string target = thrice("w x y\nx y z\ny z w x\nz w\n") + "w z\n";
    const std::map<std::string, std::string> texts = {
        {"train.src", source},
        {"train.tgt", target},
        {"token", "secret\n"},
        {"dev.src", "a b\nc d\n"},
        {"list.src", "- a b .\n"},
        {"marked.src", "a <i>b</i> &amp; c\n"},
        {"dev.tgt", "w x\ny z\n"},
        {"dev.upper", "W x\nY z\n"},
        {"more.src", source + "d b\nc a\n"},
        {"more.tgt", target + "z x\ny w\n"},
        {"other.tgt", replaced(target, "z w", "z w x")},
        {"upper.src", replaced(source, "a d", "A d")},
        {"rare.src", replaced(source, "a d", "a q")},
        {"uneven.src", replaced(source, "d a\n", "d a a a\n")},
        {"long.src", replaced(source, "c d a b", "a b c d a b c d a b c d a b c d")},
        {"marked.tgt", "w, x.\n\xE4\xB8\xAD\xE6\x96\x87 z\n"},
        {"train.links", thrice("0-0 1-1 2-2\n0-0\n0-1 1-2 2-3 3-0\n\n") + "1-1\n"},
        {"dev.links", "0-0\n1-1\n"},
        {"priors", "a\tz\t1000\n"},
        {"more.links", "0-0 1-0\n1-1\n"},
        {"dev.nbest", "0 ||| w z ||| -1\n0 ||| w x ||| -2\n1 ||| y x ||| -1\n1 ||| y z ||| -3\n"},
        {"terms", "[\"z z z z\"]\n[\"y y y\"]\n"},
        {"glossary", "b\tz z z z\n"},
        {"dev.scores", "-5\n-1\n-5\n-1\n"},
        {"weights.json", "{\"weights\": {\"score\": 1}}"},
        {"old.argosmodel", "PK\x03\x04 translate-de_en/metadata.json"},
        {"other.json", "{\"weights\": {\"score\": 1, \"new\": 9}}"},
        {"tiny.yaml", read_text(kTables / "tiny.yaml")}};
    for (const auto& [name, text] : texts) dir_.write(name, text);
  }
  void train(const std::string& name, const std::vector<std::string>& settings) {
    const Ended ended = run_program(training(dir_ / name, settings));
    if (ended.code != 0) throw std::runtime_error(ended.err);
  }

  attend::test::TempDir dir_;
  fs::path home_;
  int count_ = 0;
};

/// All tests share the workplace and the runs without the flag or key, which several entries need.
class Walk : public testing::TestWithParam<Entry> {
 protected:
  static void SetUpTestSuite() { place_.emplace(); }
  static void TearDownTestSuite() {
    known_.clear();
    place_.reset();
  }

  static const Trace& known(const std::vector<std::string>& arguments,
                            Trace (*make)(const std::vector<std::string>&)) {
    const auto found = known_.find(arguments);
    return found != known_.end() ? found->second
                                 : known_.emplace(arguments, make(arguments)).first->second;
  }

  static void expect_effect(const Trace& without, const Trace& with) {
    const std::string& effect = GetParam().effect;
    EXPECT_EQ(without.code, effect == "needed" ? 2 : 0) << without.errors;
    EXPECT_EQ(with.code, effect == "refused" ? 2 : 0) << with.errors;
    if (with.code != without.code) return;  // reported above
    const auto differences = without.differences(with);
    if (effect != "speed" && effect != "shared") {
      EXPECT_THAT(differences, testing::Contains(effect));
    } else if (is_exact()) {
      EXPECT_THAT(differences, testing::IsEmpty());
    }
  }

  /// On a GPU, and with another BLAS than OpenBLAS, the last digits of a score depend on the other
  /// sentences of its batch.
  static bool is_exact() {
    return attend::test::tested_device().is_cpu() &&
           runtime::loaded_blas().description.starts_with("OpenBLAS");
  }

  /// Only the CPU has int8.
  static bool suits_device() {
    const Entry& entry = GetParam();
    const auto names_int8 = [](const std::string& text) {
      return text.find("int8") != std::string::npos;
    };
    return attend::test::tested_device().is_cpu() ||
           !(names_int8(entry.value) || std::ranges::any_of(entry.context, names_int8));
  }

  static std::optional<Workplace> place_;
  static std::map<std::vector<std::string>, Trace> known_;
};
std::optional<Workplace> Walk::place_;
std::map<std::vector<std::string>, Trace> Walk::known_;

class WalkKeys : public Walk {
 protected:
  static std::string losses(const fs::path& history) {
    std::string all;
    std::ifstream file(history);
    for (std::string line; std::getline(file, line);) {
      auto object = nlohmann::json::parse(line);
      object.erase("timing");
      all += object.dump() + "\n";
    }
    return all;
  }

  static std::string samples(const fs::path& page) {
    if (!fs::exists(page)) return "";
    const std::string html = read_text(page);
    return html.substr(std::min(html.find("<h2>Translations"), html.size()));
  }

  static std::string translation(const fs::path& model) {
    return run_program({"translate", "--model", model.string(), "--input", place_->at("@/long.src"),
                        "--scores", "--device", "cpu", "--threads", "1", "--quiet"})
        .out;
  }

  static Trace train(const std::vector<std::string>& settings) {
    const fs::path folder = place_->fresh();
    plan_faults("trace=" + (folder / "trace").string());
    const Ended ended = run_program(place_->training(folder / "run", settings));
    plan_faults("");
    Trace trace{ended.code, {}, ended.err};
    if (ended.code != 0) return trace;
    const std::string log = replaced(ended.err, folder.string(), "");
    trace.seen = {{"losses", losses(folder / "run/train.jsonl")},
                  {"translation", translation(folder / "run")},
                  {"files", tree(folder / "run", false)},
                  {"log", steady(log)},
                  {"saves", read_text(folder / "trace")},
                  {"page", samples(folder / "run/report.html")}};
    return trace;
  }
};

TEST_P(WalkKeys, DoesWhatTheTableSays) {
  if (!suits_device()) GTEST_SKIP() << "int8 is for the CPU";
  const Entry& entry = GetParam();
  std::vector<std::string> settings = entry.context;
  settings.push_back(entry.name + "=" + entry.value);
  const Trace with = train(settings);
  expect_effect(known(entry.context, train), with);
}

INSTANTIATE_TEST_SUITE_P(All, WalkKeys, testing::ValuesIn(read_table("keys.txt")));

class WalkFlags : public Walk {
 protected:
  static Trace run(const std::vector<std::string>& arguments) {
    const fs::path folder = place_->fresh();
    std::vector<std::string> given;
    for (const std::string& argument : arguments) {
      given.push_back(place_->at(replaced(argument, "@new", folder.string())));
    }
    const Ended ended = run_program(given);
    Trace trace{ended.code, {}, ended.err};
    trace.seen = {{"output", replaced(ended.out, folder.string(), "")},
                  {"messages", steady(replaced(ended.err, folder.string(), ""))},
                  {"files", tree(folder, true)}};
    return trace;
  }
};

TEST_P(WalkFlags, DoesWhatTheTableSays) {
  if (!suits_device()) GTEST_SKIP() << "int8 is for the CPU";
  const Entry& entry = GetParam();
  std::vector<std::string> arguments = {words(entry.name).front()};
  arguments.insert(arguments.end(), entry.context.begin(), entry.context.end());
  const Trace& without = known(arguments, run);
  for (const std::string& word : words(entry.value)) arguments.push_back(word);
  expect_effect(without, run(arguments));
}

INSTANTIATE_TEST_SUITE_P(All, WalkFlags, testing::ValuesIn(read_table("flags.txt")));

std::set<std::string> names_in(const std::string& table) {
  std::set<std::string> names;
  for (const Entry& entry : read_table(table)) names.insert(entry.name);
  return names;
}

TEST(WalkTables, HaveAnEntryForEveryKey) {
  const auto keys = config::dotted_keys(config::schema_of<app::Experiment>().keys());
  EXPECT_THAT(names_in("keys.txt"),
              testing::ContainerEq(std::set<std::string>(keys.begin(), keys.end())));
}

TEST(WalkTables, HaveAnEntryForEveryFlag) {
  CLI::App app;
  add_commands(app);
  std::set<std::string> flags;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    for (const CLI::Option* option : command->get_options()) {
      // get_name() is empty for options that the help leaves out.
      const auto& names = option->get_lnames();
      const std::string name = names.empty() ? option->get_name(true) : "--" + names.front();
      if (name != "--help") flags.insert(command->get_name() + " " + name);
    }
  }
  EXPECT_THAT(names_in("flags.txt"), testing::ContainerEq(flags));
}

}  // namespace
}  // namespace attend::cli
