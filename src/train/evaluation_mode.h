#pragma once
#include "model/seq2seq.h"

namespace attend::train {

/// Keeps a model in evaluation mode during its lifetime.
class EvaluationMode {
 public:
  explicit EvaluationMode(model::Seq2Seq& model)
      : model_(model), was_training_(model.is_training()) {
    model_.eval();
  }
  ~EvaluationMode() { model_.train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  model::Seq2Seq& model_;
  bool was_training_;
};

}  // namespace attend::train
