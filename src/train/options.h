#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "data/batch_options.h"

namespace attend::train {

/// The config section `training.adam`: constants of Adam and AdamW (Kingma & Ba 2015, Alg. 1).
struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// The config section `training.decay`: how the schedules lower the learning rate.
struct DecayOptions {
  double factor = 0.5;           ///< exponential, plateau, halving: what the rate is multiplied by
  int64_t start_updates = 0;     ///< exponential: updates before the decay begins
  int64_t every_updates = 1000;  ///< exponential: updates that lower the rate by one factor
  double start_epochs = 5.0;     ///< halving: epochs before the first cut
  double every_epochs = 1.0;     ///< halving: epochs between cuts
  int64_t patience = 2;          ///< plateau: validations without a new best before a cut
  double minimum = 0.0;          ///< the rate never falls below this
};

/// Every so many updates or epochs, whichever comes first; 0 switches one off.
struct ValidateEvery {
  int64_t updates = 0;
  int64_t epochs = 1;
};

/// The config section `training.save_every`: checkpoints besides those after the first update and
/// at every validation.
struct SaveEvery {
  int64_t updates = 0;    ///< 0: off
  double minutes = 10.0;  ///< 0: off
};

/// How many snapshots of the weights, taken at validations, to use: the last ones or the best ones.
struct SnapshotCounts {
  int64_t last = 0;
  int64_t best = 0;
};

/// The config section `training.validation`: what is measured on the development text.
struct ValidationOptions {
  std::string metric = "bleu";   ///< bleu | loss: decides what is best, plateau and early stopping
  int64_t beam = 5;              ///< hypotheses of beam search; 0: nothing is translated, no BLEU
  int64_t max_sentences = 0;     ///< first sentences of the text that are used; 0: all
  std::string tokenize = "13a";  ///< BLEU's tokenisation
  bool lowercase = false;        ///< BLEU on lower-cased text
  int64_t samples = 4;           ///< translations shown in the report with their attention
};

/// The config section `training.guided_alignment`: attention is trained towards given word links
/// (Chen et al. 2016, arXiv 1607.01628).
struct GuidedAlignmentOptions {
  std::vector<std::string> links;  ///< Pharaoh files, one for each of data.train; empty: off
  /// The objective of an update is (sum of the words' losses + weight * decay^epochs * sum of the
  /// attention's losses) / target tokens. The paper divides the attention's loss by the length of
  /// each sentence, the words' loss not: 0.05 is about its equal weights for sentences of 20
  /// tokens.
  double weight = 0.05;
  std::string loss = "cross_entropy";  ///< cross_entropy | squared_error
  double decay = 1.0;                  ///< of the weight, per epoch
  /// Decoding steps after its own whose attention is trained towards a target token's links: 0, or
  /// 1, when the decoder has read that token (attention then aligns what it knows, as in Garg et
  /// al. 2019, arXiv 1909.02074, Sec. 4.2, rather than what it is about to predict).
  int64_t shift = 0;
  /// The head that is guided, from 1, of the layer that the model shows (`alignment_layer`), as in
  /// Garg et al., Sec. 4.1; 0: the mean over the heads. Links are read from it, too.
  int64_t head = 0;
};

/// The config section `training.mrt`: minimum-risk training (Shen et al. 2016, arXiv 1512.02433).
struct MinimumRiskOptions {
  int64_t samples = 0;          ///< candidates drawn per sentence, beside the reference; 0: off
  std::string cost = "bleu";    ///< bleu | chrf: what 1 - the sentence score is a candidate's cost
  double sharpness = 0.005;     ///< alpha: candidates count by p(y | x)^alpha
  double nll = 0.3;             ///< share of the usual objective
  double length_penalty = 0.0;  ///< log p is divided by length^this before; that of decoding, say
  double temperature = 1.0;     ///< of the draws
  int64_t top_k = 0;            ///< draws among so many pieces; 0: all
};

/// The config section `training.distributed`: training with several processes.
struct DistributedOptions {
  double timeout = 60.0;  ///< seconds without a word from another process before the run ends
  std::string precision = "f32";  ///< f32 | bf16: of gradients on their way between processes
};

/// The config section `training`.
struct TrainingOptions {
  std::string optimizer = "adam";  ///< adam | adamw | sgd
  double learning_rate = 0.001;
  AdamOptions adam;
  double momentum = 0.0;             ///< sgd
  double weight_decay = 0.0;         ///< adamw: decoupled; adam and sgd: added to the gradient
  std::string schedule = "plateau";  ///< as schedule.h says: constant, ..., one_cycle
  int64_t warmup_updates = 0;
  DecayOptions decay;
  data::BatchOptions batch;
  GuidedAlignmentOptions guided_alignment;
  int64_t accumulate = 1;  ///< batches per update
  double clip_norm = 1.0;  ///< 0: no clipping
  double label_smoothing = 0.0;
  double r_drop = 0.0;  ///< alpha of R-Drop; 0: off
  MinimumRiskOptions mrt;
  std::string precision = "f32";  ///< f32 | bf16: operands of matrix products
  std::string kernels = "fused";  ///< fused | plain
  bool recompute_layers = false;  ///< those of Transformers, in the backward pass
  int64_t max_epochs = 30;        ///< 0: no limit, as below
  int64_t max_updates = 0;
  double max_minutes = 0.0;  ///< in the training loop, summed over resumed runs
  ValidateEvery validate_every;
  ValidationOptions validation;
  int64_t patience = 8;  ///< validations without a new best before the end; 0: never
  double ema = 0.0;      ///< decay of the moving average of the weights; 0: none
  SnapshotCounts keep;
  SnapshotCounts average;
  SaveEvery save_every;
  std::string on_save_error = "continue";  ///< continue | stop
  int64_t log_every = 100;                 ///< updates
  int64_t skip_non_finite = 10;            ///< updates in a row that may be left out
  std::string init_from;                   ///< model folder to start from; empty: random weights
  DistributedOptions distributed;
};

void describe(config::Schema<AdamOptions>& schema);
void describe(config::Schema<DecayOptions>& schema);
void describe(config::Schema<ValidateEvery>& schema);
void describe(config::Schema<SaveEvery>& schema);
void describe(config::Schema<SnapshotCounts>& schema);
void describe(config::Schema<ValidationOptions>& schema);
void describe(config::Schema<GuidedAlignmentOptions>& schema);
void describe(config::Schema<MinimumRiskOptions>& schema);
void describe(config::Schema<DistributedOptions>& schema);
void describe(config::Schema<TrainingOptions>& schema);

}  // namespace attend::train
