#include "server/api/handlers.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/terms/line_protection.h"
#include "server/api/answer_size.h"
#include "server/api/search_call.h"
#include "server/api/translate_answer.h"
#include "server/http/api_error.h"
#include "server/http/json.h"

namespace attend::server {
namespace {

using nlohmann::json;

/// Sends the most probable hypothesis after each step.
class StepEvents final : public decode::SearchControl {
 public:
  /// `protection`: of the line; null: none.
  StepEvents(const text::Tokenizer& tokenizer,
             std::shared_ptr<const app::LineProtection> protection, SharedExchange exchange)
      : tokenizer_(tokenizer), protection_(std::move(protection)), exchange_(std::move(exchange)) {}

  bool is_cancelled() override { return exchange_->is_abandoned(); }
  void on_step(const decode::SearchStep& step) override {
    const auto live = step.live();
    if (live.empty()) return;
    std::string text = tokenizer_.decode(live.front().tokens);
    if (protection_ != nullptr) text = protection_->without_placeholders(text);
    exchange_->send_event("step", dump({{"position", step.position()}, {"text", text}}));
  }

 private:
  const text::Tokenizer& tokenizer_;
  std::shared_ptr<const app::LineProtection> protection_;
  SharedExchange exchange_;
};

Response json_response(const json& body) {
  return {.body = dump(body)};
}

void send(const SearchCall& call, Exchange& exchange, const Response& response) {
  if (!call.request.stream) return exchange.respond(response);
  exchange.send_event(response.status == 200 ? "done" : "error", response.body);
  exchange.finish_events(response.status);
}

/// Answers with `body()`, or with the error.
void answer(const SearchCall& call, Exchange& exchange, std::exception_ptr error,
            const std::function<json()>& body) {
  try {
    if (error) std::rethrow_exception(error);
    send(call, exchange, json_response(body()));
  } catch (...) {
    send(call, exchange, error_response(current_error()));
  }
}

/// Sends each sentence of a document when it is translated.
void stream_sentences(const Context& context, const SharedExchange& exchange,
                      const std::shared_ptr<SearchCall>& call,
                      const std::function<void(std::exception_ptr)>& done) {
  const auto found = [call, exchange](std::size_t begin, std::size_t end) {
    const auto sentences = sentences_of(call->request.documents.front());
    const TranslatedSentences all{call->lines, call->translations, call->request.markup};
    for (std::size_t i = begin; i < end; ++i) {
      json event = sentence_json(sentences[i], all);
      event["position"] = i;
      event["of"] = sentences.size();
      exchange->send_event("sentence", dump(event));
    }
  };
  search_in_order(context, exchange, call, found, done);
}

}  // namespace

void translate(const Context& context, const Request& request, const SharedExchange& exchange) {
  const auto call = std::make_shared<SearchCall>();
  call->request = parse_translate_request(parse_object(request.body), context.models, context.seed);
  call->client = request.client;
  call->lines = source_lines(call->request);
  check_answer_size(call->request, call->lines);
  const auto done = [call, exchange](std::exception_ptr error) {
    answer(*call, *exchange, error, [&] {
      return translate_answer(call->request, call->lines, call->translations,
                              call->tree ? &*call->tree : nullptr);
    });
  };
  if (call->request.stream && call->request.document)
    return stream_sentences(context, exchange, call, done);
  if (call->request.stream)
    call->steps = std::make_unique<StepEvents>(*call->request.model->loaded().target,
                                               call->lines.front().protection, exchange);
  search(context, exchange, call, done);
}

}  // namespace attend::server
