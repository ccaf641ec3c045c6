#pragma once
#include "server/api/task_thread.h"
#include "server/nearest/training_neighbors.h"
#include "server/runs/run_folders.h"
#include "server/search/search_queue.h"
#include "server/search/served_model.h"
#include "server/search/statistics.h"

namespace attend::server {

/// What handlers work with; outlives them.
struct Context {
  ServedModels& models;
  SearchQueue& queue;
  Statistics& statistics;
  TrainingNeighbors& neighbors;
  RunFolders& runs;
  TaskThread& runs_thread;  ///< which alone looks at the runs
  uint64_t seed;            ///< of samples whose request tells none
};

}  // namespace attend::server
