#pragma once
#include "server/api/task_thread.h"
#include "server/nearest/training_neighbors.h"
#include "server/runs/run_folders.h"
#include "server/search/search_queue.h"
#include "server/search/served_model.h"
#include "server/search/statistics.h"

namespace attend::server {

/// The objects that handlers use; must outlive them.
struct Context {
  ServedModels& models;
  SearchQueue& queue;
  Statistics& statistics;
  TrainingNeighbors& neighbors;
  RunFolders& runs;
  TaskThread& runs_thread;  ///< the only thread that uses `runs`
  uint64_t seed;            ///< for sampling requests without a seed
};

}  // namespace attend::server
