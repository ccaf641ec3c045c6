#pragma once
#include "server/api/context.h"
#include "server/http/http.h"

namespace attend::server {

/// `POST /v1/nearest`: training pairs whose sources are to the encoder most like a sentence.
/// Answers later; 202 with {"done", "total"} while the index is being built, which the first
/// request begins.
void nearest(const Context& context, const Request& request, const SharedExchange& exchange);

}  // namespace attend::server
