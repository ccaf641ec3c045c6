#pragma once
#include "server/api/context.h"
#include "server/http/http.h"

namespace attend::server {

/// `POST /v1/score`: log-probability of a translation, by piece. Answers later.
void score(const Context& context, const Request& request, const SharedExchange& exchange);
/// `POST /v1/align`: links and weights between the words of a pair. Answers later.
void align(const Context& context, const Request& request, const SharedExchange& exchange);

}  // namespace attend::server
