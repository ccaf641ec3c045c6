#pragma once
#include "server/api/context.h"
#include "server/http/http.h"

namespace attend::server {

// Handlers of the API. Those that return void answer later unless they throw ApiError.

/// `POST /v1/translate`: answers when the lines have been searched, or streams the steps of the
/// search as events. Throws ApiError for an invalid request or a full queue.
void translate(const Context& context, const Request& request, const SharedExchange& exchange);

/// `POST /v1/score`: log-probability of a given translation, by piece.
void score(const Context& context, const Request& request, const SharedExchange& exchange);

/// `POST /v1/align`: links and weights between the words of a pair.
void align(const Context& context, const Request& request, const SharedExchange& exchange);

/// `POST /v1/explain`: the source words behind one piece of a translation: attention, leave-one-out
/// and saliency, and what the model writes if it attends to another word.
void explain(const Context& context, const Request& request, const SharedExchange& exchange);

/// `POST /v1/nearest`: the training pairs whose source sentences have encodings nearest to that of
/// the given sentence. The first request starts building the index; until it is ready, the answer
/// is 202 with {"done", "total"}.
void nearest(const Context& context, const Request& request, const SharedExchange& exchange);

/// `GET /v1/runs`: the runs below the server's folder, named by their relative path; a run in the
/// folder itself has the folder's name. Skips and counts lines of train.jsonl that training does
/// not write. A single thread reads the histories: the first reading of a long one takes seconds.
void list_runs(const Context& context, const Request& request, const SharedExchange& exchange);

/// The path of show_run() without the run's name.
inline constexpr const char* kRunsPath = "/v1/runs/";

/// `GET /v1/runs/NAME`: config as flat keys and the points of the curves; `?after=N` selects the
/// points after update N. 404 for a name that list_runs() does not list.
void show_run(const Context& context, const Request& request, const SharedExchange& exchange);

/// `POST /translate` as LibreTranslate 1.6 documents it (https://docs.libretranslate.com): `q`,
/// `source`, `target`, `format`, `alternatives`, as JSON or a form. Translates each text as a
/// document (app/document/document_cutter.h); `format` "html" keeps its tags. Models of several
/// sources translate each line by itself; the answer then has "dropped" and "dropped_more", as in
/// /v1/translate, if a line exceeds the model's limit. With `source` "auto", "detectedLanguage" is
/// there only if the text is like the training text of a model.
void libre_translate(const Context& context, const Request& request,
                     const SharedExchange& exchange);
/// `POST /detect` of LibreTranslate: the languages of the models, likeliest first; [] if the text
/// is like none of them (detect_languages()).
[[nodiscard]] Response libre_detect(const Context& context, const Request& request);
/// `GET /languages` of LibreTranslate. Each target is listed once.
[[nodiscard]] Response libre_languages(const Context& context);

}  // namespace attend::server
