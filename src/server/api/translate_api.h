#pragma once
#include "server/api/context.h"
#include "server/http/http.h"

namespace attend::server {

/// `POST /v1/translate`: answers when the lines have been searched, or tells steps by events.
/// Throws ApiError for a request that cannot be searched.
void translate(const Context& context, const Request& request, const SharedExchange& exchange);

/// `POST /translate` as LibreTranslate 1.6 documents it (https://docs.libretranslate.com):
/// `q`, `source`, `target`, `format`, `alternatives`, as JSON or a form.
void libre_translate(const Context& context, const Request& request,
                     const SharedExchange& exchange);
/// `GET /languages` of the same.
[[nodiscard]] Response libre_languages(const Context& context);

}  // namespace attend::server
