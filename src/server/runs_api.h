#pragma once
#include <filesystem>

#include "server/http.h"

namespace attend::server {

/// `GET /v1/runs`: the run folders below `root`, by name (their path from it; `root`'s own name for
/// itself). Lines of their histories that training does not write are left out and counted.
[[nodiscard]] Response list_runs(const std::filesystem::path& root);

/// `GET /v1/runs/NAME`: its config as flat keys, and the points of its curves, with `?after=N`
/// those of later updates alone. Throws ApiError 404 for a name that list_runs() does not list.
[[nodiscard]] Response show_run(const std::filesystem::path& root, const Request& request);

/// What comes before a run's name.
inline constexpr const char* kRunsPath = "/v1/runs/";

}  // namespace attend::server
