#include "data/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "text/lowercase.h"

namespace attend::data {
namespace {

std::string half_given(const ExampleFiles& files) {
  if (files.sources.empty() == files.target.empty()) return "";
  return files.sources.empty() ? "target is given, but source is not"
                               : "source is given, but target is not";
}

std::vector<std::string> names_of(const ExampleFiles& files) {
  std::vector<std::string> names;
  for (const config::NamedPath& source : files.sources) names.push_back(source.name);
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  return names == std::vector<std::string>{""} ? "no name"
                                               : fmt::format("{}", fmt::join(names, ", "));
}

std::string other_source_names(const DataOptions& options) {
  if (options.train.empty()) return "";
  const std::vector<std::string> expected = source_names(options);
  const auto differs = [&](const ExampleFiles& files) {
    return !files.sources.empty() && names_of(files) != expected;
  };
  const auto found = std::ranges::find_if(options.train, differs);
  const ExampleFiles& other = found == options.train.end() ? options.dev : *found;
  if (!differs(other)) return "";
  return fmt::format(
      "the sources of the first training text have {}, but the sources of {} have {}; every text "
      "needs the same names",
      listed(expected), other.source(), listed(names_of(other)));
}

std::string separator_is_lowered(const DataOptions& options) {
  const std::string& separator = options.segments.separator;
  const text::Lowercased lower(separator);
  if (!options.lowercase || lower.text() == separator) return "";
  return fmt::format("lowercase turns every {1} in the text into {0}; write separator: \"{0}\"",
                     lower.text(), separator);
}

/// The reason why `text` cannot be a symbol; "" if it can. SentencePiece separates symbols by
/// commas.
std::string no_symbol(const std::string& text, const char* what, const char* example) {
  const auto is_odd = [](char c) { return c <= ' ' || c == ',' || c == '"' || c == 0x7f; };
  if (std::ranges::any_of(text, [&](char c) { return c > 0 && is_odd(c); })) {
    return fmt::format(
        "a {} is one symbol without blanks, commas, quotes or control characters, such as {}", what,
        example);
  }
  for (const char* special : {"<pad>", "<unk>", "<s>", "</s>"}) {
    if (text == special) {
      return fmt::format("{} is a special symbol already; choose another {}", text, what);
    }
  }
  return "";
}

std::string no_training_text(const DataOptions& options) {
  const bool missing =
      options.train.empty() || std::any_of(options.train.begin(), options.train.end(),
                                           [](const auto& f) { return f.empty(); });
  return missing ? "no training text; give {source: FILE, target: FILE}, or a list of these" : "";
}

std::string no_cache_given(const DataOptions& options) {
  return options.cache.empty() ? "give auto, none or a file" : "";
}

std::string more_than_all(const AugmentOptions& options) {
  if (options.sum() <= 1.0) return "";
  return fmt::format(
      "the shares sum to {:.4g}, and a pair has at most one change; give shares that "
      "sum to at most 1",
      options.sum());
}

std::string case_is_lowered(const DataOptions& options) {
  const bool wrong =
      options.lowercase && (options.augment.upper_case > 0.0 || options.augment.title_case > 0.0);
  return wrong ? "lowercase undoes upper_case and title_case; set them to 0" : "";
}

std::string segments_are_joined(const DataOptions& options) {
  const bool wrong = !options.segments.separator.empty() && options.augment.two_sentences > 0.0;
  return wrong ? "lines of segments cannot be joined; set two_sentences to 0" : "";
}

std::string protection_is_of_one_source(const DataOptions& options) {
  const bool wrong = !options.protect.empty() && count_sources(options) > 1;
  return wrong ? "placeholders number the parts of one source, but there are several; leave it out"
               : "";
}

std::string terms_are_of_one_source(const DataOptions& options) {
  const bool wrong = !options.terms.empty() && count_sources(options) > 1;
  return wrong ? "links refer to one source, but there are several; leave it out" : "";
}

std::string nothing_marks_terms(const TermOptions& options) {
  if (!options.empty() || options.share == TermOptions().share) return "";
  return "terms are words with links, and there are none; set links, or leave terms out";
}

std::string ratio_below_one(const DataOptions& options) {
  const bool wrong = options.max_ratio != 0.0 && options.max_ratio < 1.0;
  return wrong ? "no ratio of the longer to the shorter side is below 1; give 1 or more, or 0 for "
                 "no limit"
               : "";
}

}  // namespace

ExampleFiles::ExampleFiles(std::string source, std::string target_file)
    : target(std::move(target_file)) {
  if (!source.empty()) sources.push_back({"", std::move(source)});
}

std::vector<CorpusFiles> texts_of(const DataOptions& options) {
  std::vector<CorpusFiles> texts = options.train;
  for (std::size_t i = 0; i < options.terms.links.size(); ++i) {
    CorpusFiles marked = options.train.at(i);
    marked.weight *= options.terms.share;
    marked.term_links = options.terms.links[i];
    texts.push_back(std::move(marked));
  }
  return texts;
}

std::size_t count_sources(const DataOptions& options) {
  return options.train.empty() ? 1 : std::max<std::size_t>(1, options.train.front().sources.size());
}

std::vector<std::string> source_names(const DataOptions& options) {
  return options.train.empty() ? std::vector<std::string>{} : names_of(options.train.front());
}

std::vector<std::string> tags_of(const DataOptions& options) {
  std::vector<std::string> tags;
  for (const CorpusFiles& files : options.train) {
    const bool is_new = std::ranges::find(tags, files.tag) == tags.end();
    if (!files.tag.empty() && is_new) tags.push_back(files.tag);
  }
  return tags;
}

namespace {

template <class Files>
void describe_files(config::Schema<Files>& schema) {
  schema.named_paths(
      "source", &Files::sources,
      "Text to translate from, one sentence per line; plain or gzip. For several sources, name "
      "each: {en: FILE, es: FILE}, with the same names in every text.");
  schema.path("target", &Files::target, "Its translation, line by line.");
  schema.rule({"source", "target"}, half_given);
}

}  // namespace

void describe(config::Schema<ExampleFiles>& schema) {
  describe_files(schema);
}

void describe(config::Schema<CorpusFiles>& schema) {
  describe_files(schema);
  schema.number("weight", &CorpusFiles::weight, config::in_range(1e-6, 1e6),
                "How often an epoch has each pair of this text, on average. 2.5: all pairs twice, "
                "and half of the pairs, drawn anew for each epoch, once more.");
  schema.text("tag", &CorpusFiles::tag,
              "A piece put before each source of this text, for example <bt>, to mark the text "
              "(Caswell et al. 2019); a new tokenizer gets it as a symbol. translate adds a tag "
              "only with --tag. null: none.");
  schema.rule({"tag"},
              [](const CorpusFiles& files) { return no_symbol(files.tag, "tag", "<bt>"); });
}

void describe(config::Schema<SegmentOptions>& schema) {
  schema.text("separator", &SegmentOptions::separator,
              "Separates the segments of a source line, for example |||. It must be one piece of "
              "the vocabulary; a new tokenizer gets it as a symbol. For model.encoder.type: "
              "hierarchical and memory. null: lines are not split.");
  schema.rule({"separator"}, [](const SegmentOptions& options) {
    return no_symbol(options.separator, "separator", "|||");
  });
}

void describe(config::Schema<AugmentOptions>& schema) {
  const auto share = config::in_range(0.0, 1.0);
  schema.number("upper_case", &AugmentOptions::upper_case, share,
                "Share of the pairs that are put in capitals, on all sides.");
  schema.number("title_case", &AugmentOptions::title_case, share,
                "Share of the pairs whose words all get a capital, on all sides.");
  schema.number(
      "no_final_mark", &AugmentOptions::no_final_mark, share,
      "Share of the pairs that lose the full stop or other mark at the end of each side.");
  schema.number("typos", &AugmentOptions::typos, share,
                "Share of the pairs whose sources get typing errors: in a tenth of the words of "
                "four letters or more, and at least one, letters are exchanged, missing, doubled "
                "or wrong.");
  schema.number("two_sentences", &AugmentOptions::two_sentences, share,
                "Share of the pairs that are joined with the next pair of the text.");
  schema.rule({"upper_case", "title_case", "no_final_mark", "typos", "two_sentences"},
              more_than_all);
}

void describe(config::Schema<TermOptions>& schema) {
  schema.paths(
      "links", &TermOptions::links,
      "File of links i-j between the words of data.train (Pharaoh format), as attend align "
      "--method statistical writes; a list of files if data.train is a list. null: off.");
  schema.number("share", &TermOptions::share, config::in_range(0.01, 1.0),
                "Share of the pairs that an epoch repeats with up to three marked terms: words "
                "with a link to only each other. Each epoch draws others.");
  schema.idle_rule({"share", "links"}, nothing_marks_terms);
}

void describe(config::Schema<DataOptions>& schema) {
  schema.list("train", &DataOptions::train,
              "Training text: a pair of files, or a list of pairs, each with a weight and a tag.");
  schema.section("dev", &DataOptions::dev, "Text for validation; none: no validation.");
  schema.integer(
      "max_length", &DataOptions::max_length, config::in_range<int64_t>(1, 1'000'000),
      "Most pieces per side: longer training pairs are skipped, longer input is truncated.");
  schema.number("max_ratio", &DataOptions::max_ratio, config::at_least(0.0),
                "Training pairs are skipped if one side has more than this many times the pieces "
                "of the other; 0: no limit.");
  schema.number("max_unknown", &DataOptions::max_unknown, config::in_range(0.0, 1.0),
                "Training text is refused if a larger share of the pieces of a side is unknown to "
                "the tokenizer; 1: never.");
  schema.flag("lowercase", &DataOptions::lowercase, "Lower-case all text, source and target.");
  schema.flag("reverse_target", &DataOptions::reverse_target,
              "Write translations from their last piece to the first (right to left; Liu et al. "
              "2016). Text, weights and links are in reading order. For rerank: such a model makes "
              "other errors than one from left to right.");
  schema.choice("storage", &DataOptions::storage,
                "Where the token ids of the training text are kept: in memory, or in a file, for "
                "text that does not fit into memory. The file is that of data.cache, or an "
                "unnamed one beside the model folder, which vanishes with the run. Both train the "
                "same.");
  schema.section(
      "segments", &DataOptions::segments,
      "Source lines that have several parts, such as sentences, or facts and a question.");
  schema.section("augment", &DataOptions::augment,
                 "Changes that make a model robust: each epoch draws which pairs get which change "
                 "(Bogoychev et al. 2023). A new tokenizer learns from changed lines, too.");
  schema.section("protect", &DataOptions::protect,
                 "Parts of lines that must not be translated. Training replaces those that both "
                 "sides have equally often by placeholders, translation all of the source; it "
                 "restores them exactly. A new tokenizer gets the placeholders as symbols.");
  schema.section("terms", &DataOptions::terms,
                 "Marks terms and their translations in some training sources, so that the model "
                 "uses the translations of translate --glossary FILE --glossary-mode soft (Dinu et "
                 "al. 2019). A new tokenizer gets the marks as symbols.");
  schema.path_or_word(
      "cache", &DataOptions::cache, {"auto", "none"},
      "The token cache: it keeps the token ids of the training text and the tokenizers trained on "
      "it for the next run of the same text. auto: a file beside the model folder, NAME.tokens; "
      "none: no cache.");
  schema.requirement({"train"}, no_training_text);
  schema.rule({"train", "dev"}, other_source_names);
  schema.rule({"max_ratio"}, ratio_below_one);
  schema.rule({"cache"}, no_cache_given);
  schema.rule({"segments.separator", "lowercase"}, separator_is_lowered);
  schema.rule({"protect", "train"}, protection_is_of_one_source);
  schema.rule({"terms", "train"}, terms_are_of_one_source);
  schema.rule({"augment", "lowercase"}, case_is_lowered);
  schema.rule({"augment.two_sentences", "segments.separator"}, segments_are_joined);
}

}  // namespace attend::data
