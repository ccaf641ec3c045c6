#pragma once
#include "server/api/context.h"
#include "server/http/http.h"

namespace attend::server {

/// `GET /v1/runs`: the run folders below the server's, by name (their path from it; its own name
/// for itself). Lines of their histories that training does not write are left out and counted.
/// Answers later, as the next does, from the one thread that reads histories: long ones take
/// seconds when they are read first.
void list_runs(const Context& context, const Request& request, const SharedExchange& exchange);

/// `GET /v1/runs/NAME`: its config as flat keys, and the points of its curves, with `?after=N`
/// those of later updates alone. 404 for a name that list_runs() does not list.
void show_run(const Context& context, const Request& request, const SharedExchange& exchange);

/// What comes before a run's name.
inline constexpr const char* kRunsPath = "/v1/runs/";

}  // namespace attend::server
