#pragma once
#include <filesystem>

#include "server/search_queue.h"
#include "server/served_model.h"
#include "server/statistics.h"
#include "server/training_neighbors.h"

namespace attend::server {

/// What handlers work with; outlives them.
struct Context {
  ServedModels& models;
  SearchQueue& queue;
  Statistics& statistics;
  TrainingNeighbors& neighbors;
  std::filesystem::path runs;  ///< empty: none are shown
};

}  // namespace attend::server
