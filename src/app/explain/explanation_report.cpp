#include "app/explain/explanation_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/evaluate/eval_report.h"

namespace attend::app {

namespace {

using Json = nlohmann::ordered_json;
using metrics::MeasuredMean;

/// Rounds to six decimals, since the floats of a model are not more precise.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

Json json_of(const MeasureValues& values) {
  Json json = Json::object();
  for (const auto& [measure, name, meaning] : name_table(Measure{})) {
    const double value = values.all()[static_cast<std::size_t>(measure)];
    if (!std::isnan(value)) json[std::string(name)] = rounded(value);
  }
  return json;
}

std::string counted(const ModelSummary& model) {
  return fmt::format("{} pairs, {} tokens: {} content, {} function, {} end", model.pairs,
                     model.tokens[0], model.tokens[1], model.tokens[2], model.tokens[3]);
}

std::string cell(const MeasuredMean& mean, std::string_view between, std::string_view none) {
  if (mean.count == 0) return std::string(none);
  const double value = std::abs(mean.value) < 0.0005 ? 0.0 : mean.value;  // no "-0.000"
  return fmt::format("{:.3f}{}{:.3f}", value, between, mean.half_width);
}

std::string_view title_of_group(Measure measure) {
  for (const MeasureGroup& group : kMeasureGroups)
    if (group.first == measure) return group.title;
  return {};
}

std::string site_table(const SiteSummary& site) {
  TableRows rows{{"attention: " + site.site}};
  for (const std::string_view group : kTokenGroups) rows.front().emplace_back(group);
  for (const auto& [measure, name, meaning] : name_table(Measure{})) {
    if (const auto title = title_of_group(measure); !title.empty())
      rows.push_back({std::string(title)});
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back("  " + std::string(meaning));
    for (const MeasuredMean& mean : site.means.at(static_cast<std::size_t>(measure)))
      row.push_back(cell(mean, " ±", "-"));
  }
  return aligned_table(rows);
}

std::string latex_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view("&%$#_{}").find(c) != std::string_view::npos) result += '\\';
    result += c == '\\' ? '/' : c;
  }
  return result;
}

std::string latex_table(const ModelSummary& model, const SiteSummary& site) {
  std::string text =
      fmt::format("% {}: {}; attention: {}\n", model.model, counted(model), site.site);
  text += "\\begin{tabular}{lcccc}\n\\toprule\n";
  text += latex_escaped(model.model) + ", " + site.site;
  for (const std::string_view group : kTokenGroups) text += fmt::format(" & {}", group);
  text += " \\\\\n";
  for (const auto& [measure, name, meaning] : name_table(Measure{})) {
    if (const auto title = title_of_group(measure); !title.empty())
      text += fmt::format("\\midrule\n\\multicolumn{{5}}{{l}}{{{}}} \\\\\n", title);
    text += "\\quad " + latex_escaped(meaning);
    for (const MeasuredMean& mean : site.means.at(static_cast<std::size_t>(measure)))
      text += fmt::format(" & ${}$", cell(mean, " \\pm ", "-"));
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

constexpr std::string_view kWeightMethods =
    R"(At each target position the model's weights over the n source pieces and the end symbol were
replaced, and only there: the states after the earlier positions, and the given prefix of the target, stayed as they were. A
decision is the most probable piece. It is kept if it stays the most probable one. The replacements are those of Moradi et
al. (2019): a random permutation that moves the largest weight (at most 10 tries), uniform weights, the largest weight set
to 0, all weight on the largest, all weight on the last position (the end symbol), and the largest kept with the rest spread
evenly. TVD is the total variation distance of the two predictions. Following Serrano and Smith (2019), the largest weight
and a random other one were set to 0 and the rest rescaled; we report the Jensen-Shannon divergence (nats) and the share of
changed decisions. Positions were then removed one after another, ordered by weight, by the signed derivative of the
decision's log-probability by the weight, by the product of both, by the posterior of the attention given the decision
(Shankar and Sarawagi 2019), by contributions where the model is a Transformer (the norm of what a position adds to the
attention's output; Kobayashi et al. 2020), by ALTI where encoder and decoder are Transformers (the share of each source
piece after all layers, by the 1-norm distances of the vectors that each attention block adds up; Ferrando et al. 2022a,
2022b), and at random; we report the share of positions removed when the decision first changes, 1 if it never does. The adversary is a lower bound of that of Jain and Wallace (2019): the
largest Jensen-Shannon divergence between the weights and others with a TVD of at most 0.01, found by bisection on the way to
all weight on each position, uniform weights and ten permutations. Heads change together; their attention is the mean over
them.
)";

constexpr std::string_view kSourceMethods =
    R"(Attention to a source word is the sum over its pieces. Comprehensiveness is the loss of the
decision's probability without the most attended words, sufficiency that with them alone, both as the mean over the top 1,
5, 10, 20 and 50 % of the words, rounded up (AOPC; DeYoung et al. 2020). Words were deleted, or masked by embeddings of 0.
The same with words in one random order per sentence is the comparison. Agreement is Kendall's tau-b over the source words,
and the overlap of the top 20 % (rounded up), between attention and other importances: leave-one-out, the TVD when the word
is deleted (Jain and Wallace 2019); saliency, the absolute product of a piece's embedding and its gradient, summed over
features and pieces (Ding et al. 2019, who sum signed values); prediction difference, the loss of the decision's
probability when the word is masked (Li et al. 2019); and the posterior, the contributions and ALTI.
)";

constexpr std::string_view kReferences =
    R"(References
DeYoung et al. 2020. ERASER: A Benchmark to Evaluate Rationalized NLP Models. ACL.
Ding, Xu and Koehn 2019. Saliency-driven Word Alignment Interpretation for Neural Machine Translation. WMT.
Ferrando, Gallego and Costa-jussa 2022a. Measuring the Mixing of Contextual Information in the Transformer. EMNLP.
Ferrando, Gallego, Alastruey, Escolano and Costa-jussa 2022b. Towards Opening the Black Box of Neural Machine Translation:
Source and Target Interpretations of the Transformer. EMNLP.
Jain and Wallace 2019. Attention is not Explanation. NAACL.
Kobayashi, Kuribayashi, Yokoi and Inui 2020. Attention is Not Only a Weight: Analyzing Transformers with Vector Norms. EMNLP.
Li, Li, Liu, Meng and Shi 2019. On the Word Alignment from Neural Machine Translation. ACL.
Moradi, Kambhatla and Sarkar 2019. Interrogating the Explanatory Power of Attention in Neural Machine Translation. WNGT.
Serrano and Smith 2019. Is Attention Interpretable? ACL.
Shankar and Sarawagi 2019. Posterior Attention Models for Sequence to Sequence Learning. ICLR.
)";

constexpr std::string_view kControlReference =
    "Wiegreffe and Pinter 2019. Attention is not not Explanation. EMNLP.\n";

}  // namespace

std::string token_json(std::string_view model, int64_t id, std::size_t position,
                       const ExplainedToken& token, const std::vector<AttentionSite>& sites) {
  Json json{{"model", model},
            {"id", id},
            {"position", position},
            {"token", token.piece},
            {"word", token.word}};
  json["class"] = enum_name(token.word_class);
  json["decision"] = token.decision;
  json["probability"] = rounded(token.probability);
  for (std::size_t i = 0; i < sites.size(); ++i)
    json["measures"][sites[i].name] = json_of(token.sites[i]);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string explanation_table(const std::vector<ModelSummary>& models) {
  std::string text;
  for (const ModelSummary& model : models) {
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", model.model, counted(model));
    for (const SiteSummary& site : model.sites) text += fmt::format("\n{}", site_table(site));
  }
  return text;
}

std::string explanation_latex(const std::vector<ModelSummary>& models) {
  std::string text;
  for (const ModelSummary& model : models) {
    for (const SiteSummary& site : model.sites) {
      if (!text.empty()) text += '\n';
      text += latex_table(model, site);
    }
  }
  return text;
}

std::string explanation_methods(const std::vector<ModelSummary>& models,
                                const ExplanationSettings& settings) {
  std::string text = fmt::format(
      "We examined the attention of {} with {} (attend explain), teacher-forced on {}: {}. "
      "Function words: {}; punctuation counts as function words.\n",
      models.front().model, settings.program,
      settings.target.empty()
          ? fmt::format("its own translations of {}", settings.source)
          : fmt::format("the pairs of {} and {}", settings.source, settings.target),
      counted(models.front()), settings.function_words);
  for (std::size_t i = 1; i < models.size(); ++i)
    text += fmt::format(
        "The same was measured for the control {} ({}; Wiegreffe and Pinter 2019), with the "
        "divergence of its attention from the model's.\n",
        models[i].model, counted(models[i]));
  text += kWeightMethods;
  text += kSourceMethods;
  text += fmt::format(
      "Values are means over tokens; intervals hold 95 % of {} bootstrap samples of the "
      "sentences, given as half their width. Random seed: {}.\n\n",
      settings.trials.number, settings.seed);
  text += kReferences;
  if (models.size() > 1) text += kControlReference;
  return text;
}

}  // namespace attend::app
