#include "server/api/search_call.h"

#include <algorithm>
#include <utility>

#include "app/translate/unknown_words.h"

namespace attend::server {
namespace {

/// The search options. A tree needs all complete hypotheses, so n_best is then the beam or more.
decode::SearchOptions searched_options(const TranslateRequest& request) {
  decode::SearchOptions options = request.options;
  if (request.tree) options.n_best = std::max(options.n_best, options.decoding.beam);
  return options;
}

/// The lines of [begin, end) that have text.
std::vector<std::size_t> places_with_text(const std::vector<app::SourceLine>& lines,
                                          std::size_t begin, std::size_t end) {
  std::vector<std::size_t> places;
  for (std::size_t i = begin; i < end; ++i) {
    if (!lines[i].empty()) places.push_back(i);
  }
  return places;
}

decode::NBest endings_of(const std::vector<app::Translation>& translations) {
  decode::NBest endings;
  for (const app::Translation& one : translations) {
    decode::Hypothesis& ending = endings.emplace_back();
    ending.tokens = one.line.ids;
    ending.log_prob = one.log_prob;
  }
  return endings;
}

/// Adds the attention of every layer and head if the request asks for it.
void add_maps(const TranslateRequest& request, const app::SourceLine& line,
              std::vector<app::Translation>& translations) {
  if (!request.kinds.any()) return;
  std::vector<std::vector<app::Translation>> one = {std::move(translations)};
  request.model->translator->add_maps({&line}, one, request.kinds);
  translations = std::move(one.front());
}

void copy_unknown(const TranslateRequest& request, const app::SourceLine& line,
                  std::vector<app::Translation>& translations) {
  if (!request.copy_unknown) return;
  for (app::Translation& translation : translations)
    app::copy_unknown_words(line, *request.model->loaded().target, *request.copy_unknown,
                            translation);
}

void take_results(SearchCall& call, const std::vector<std::size_t>& places,
                  std::vector<std::vector<app::Translation>> results, Statistics& statistics) {
  int64_t read = 0, written = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (call.tree) call.tree->finish(endings_of(results[i]));
    const auto wanted = static_cast<std::size_t>(call.request.options.n_best);
    if (results[i].size() > wanted) results[i].resize(wanted);
    copy_unknown(call.request, call.lines[places[i]], results[i]);
    read += std::ssize(call.lines[places[i]].line.pieces);
    written += std::ssize(results[i].front().line.pieces);
    add_maps(call.request, call.lines[places[i]], results[i]);
    call.translations[places[i]] = std::move(results[i]);
  }
  statistics.add_pieces(read, written);
}

using Done = std::function<void(std::exception_ptr)>;

/// Searches the lines at these places.
void search_places(const Context& context, const SharedExchange& exchange,
                   const std::shared_ptr<SearchCall>& call, const std::vector<std::size_t>& places,
                   const Done& done, const Admission& admission = {}) {
  if (places.empty()) return done(nullptr);
  SearchJob job{.translator = call->request.model->translator.get(),
                .options = searched_options(call->request),
                .lines = {},
                .control = nullptr,
                .is_abandoned = [exchange] { return exchange->is_abandoned(); },
                .client = call->client,
                .admission = admission,
                .done = {}};
  for (const std::size_t place : places) job.lines.push_back(call->lines[place]);
  if (call->request.tree) call->tree.emplace(call->steps.get());
  job.control = call->tree ? &*call->tree : call->steps.get();
  Statistics& statistics = context.statistics;
  job.done = [call, places, done, &statistics](auto results, std::exception_ptr error) {
    try {
      if (!error) take_results(*call, places, std::move(results), statistics);
    } catch (...) {
      error = std::current_exception();
    }
    done(error);
  };
  context.queue.add(std::move(job));
}

/// Searches group after group. Each waiting job keeps it alive.
struct InOrder : std::enable_shared_from_this<InOrder> {
  Context context;
  SharedExchange exchange;
  std::shared_ptr<SearchCall> call;
  std::function<void(std::size_t, std::size_t)> found;
  Done done;
  std::size_t begin = 0;
  std::size_t group = 1;

  InOrder(const Context& with, SharedExchange to, std::shared_ptr<SearchCall> of)
      : context(with), exchange(std::move(to)), call(std::move(of)) {}

  void search_next() {
    constexpr std::size_t kLargest = 16;
    if (begin == call->lines.size()) return done(nullptr);
    const std::size_t end = std::min(begin + group, call->lines.size());
    group = std::min(2 * group, kLargest);
    search_places(
        context, exchange, call, places_with_text(call->lines, begin, end),
        [self = shared_from_this(), end](std::exception_ptr error) {
          if (error) return self->done(error);
          self->pass_on(end);
        },
        begin == 0 ? Admission{.later = call->lines.size() - end} : Admission{.is_given = true});
  }
  /// In a thread of the queue, which must get no exception.
  void pass_on(std::size_t end) {
    try {
      found(begin, end);
      begin = end;
      search_next();
    } catch (...) {
      done(std::current_exception());
    }
  }
};

void start_translations(SearchCall& call) {
  call.translations.assign(call.lines.size(), std::vector<app::Translation>(1));
}

}  // namespace

void search(const Context& context, const SharedExchange& exchange,
            const std::shared_ptr<SearchCall>& call, const Done& done) {
  start_translations(*call);
  search_places(context, exchange, call, places_with_text(call->lines, 0, call->lines.size()),
                done);
}

void search_in_order(const Context& context, const SharedExchange& exchange,
                     const std::shared_ptr<SearchCall>& call,
                     const std::function<void(std::size_t, std::size_t)>& found, const Done& done) {
  start_translations(*call);
  const auto search = std::make_shared<InOrder>(context, exchange, call);
  search->found = found;
  search->done = done;
  search->search_next();
}

}  // namespace attend::server
