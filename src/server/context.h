#pragma once
#include "server/run_folders.h"
#include "server/search_queue.h"
#include "server/served_model.h"
#include "server/statistics.h"
#include "server/task_thread.h"
#include "server/training_neighbors.h"

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
