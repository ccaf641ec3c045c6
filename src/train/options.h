#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/schema.h"
#include "core/named_enum.h"
#include "data/batch_options.h"
#include "decode/options.h"

namespace attend::train {

/// Number format of the operands of matrix products in training.
enum class Precision { f32, tf32, bf16 };

constexpr auto name_table(Precision) {
  return std::to_array<NamedValue<Precision>>(
      {{Precision::f32, "f32"}, {Precision::tf32, "tf32"}, {Precision::bf16, "bf16"}});
}

/// Gradients between processes.
enum class GradientPrecision { f32, bf16 };

constexpr auto name_table(GradientPrecision) {
  return std::to_array<NamedValue<GradientPrecision>>(
      {{GradientPrecision::f32, "f32"}, {GradientPrecision::bf16, "bf16"}});
}

/// The optimisers.
enum class OptimizerKind { adam, adamw, sgd };

constexpr auto name_table(OptimizerKind) {
  return std::to_array<NamedValue<OptimizerKind>>({{OptimizerKind::adam, "adam"},
                                                   {OptimizerKind::adamw, "adamw"},
                                                   {OptimizerKind::sgd, "sgd"}});
}

/// How the learning rate changes; see schedule.h.
enum class ScheduleKind { constant, inverse_sqrt, exponential, plateau, halving, one_cycle };

constexpr auto name_table(ScheduleKind) {
  return std::to_array<NamedValue<ScheduleKind>>({
      {ScheduleKind::constant, "constant", "not at all"},
      {ScheduleKind::inverse_sqrt, "inverse_sqrt",
       "falls with 1 / sqrt(update) after the warm-up (Vaswani et al. 2017)"},
      {ScheduleKind::exponential, "exponential",
       "falls smoothly by decay.factor in every decay.every_updates updates"},
      {ScheduleKind::plateau, "plateau", "falls by decay.factor when validation stops improving"},
      {ScheduleKind::halving, "halving",
       "falls by decay.factor every decay.every_epochs epochs (Luong et al. 2015)"},
      {ScheduleKind::one_cycle, "one_cycle",
       "falls along half a cosine to 0, but at least decay.minimum, at max_epochs, max_updates or "
       "max_minutes, whichever comes first"},
  });
}

/// The score that decides which weights are best.
enum class ValidationMetric { bleu, loss };

constexpr auto name_table(ValidationMetric) {
  return std::to_array<NamedValue<ValidationMetric>>(
      {{ValidationMetric::bleu, "bleu"}, {ValidationMetric::loss, "loss"}});
}

/// BLEU's tokenizers in validation, as sacreBLEU names them; `automatic` is replaced by another one
/// before training.
enum class BleuTokenizer {
  automatic,
  v13a,
  none,
  intl,
  character,
  zh,
  ja_mecab,
  flores101,
  flores200
};

constexpr auto name_table(BleuTokenizer) {
  return std::to_array<NamedValue<BleuTokenizer>>({{BleuTokenizer::automatic, "auto"},
                                                   {BleuTokenizer::v13a, "13a"},
                                                   {BleuTokenizer::none, "none"},
                                                   {BleuTokenizer::intl, "intl"},
                                                   {BleuTokenizer::character, "char"},
                                                   {BleuTokenizer::zh, "zh"},
                                                   {BleuTokenizer::ja_mecab, "ja-mecab"},
                                                   {BleuTokenizer::flores101, "flores101"},
                                                   {BleuTokenizer::flores200, "flores200"}});
}

/// The losses that compare attention with word links.
enum class AlignmentLoss { cross_entropy, squared_error };

constexpr auto name_table(AlignmentLoss) {
  return std::to_array<NamedValue<AlignmentLoss>>(
      {{AlignmentLoss::cross_entropy, "cross_entropy"},
       {AlignmentLoss::squared_error, "squared_error"}});
}

/// What replaces the attention weights in FaithfulnessOptions.
enum class WeightReplacement { uniform, without_largest };

constexpr auto name_table(WeightReplacement) {
  return std::to_array<NamedValue<WeightReplacement>>(
      {{WeightReplacement::uniform, "uniform", "equal weights that sum to 1"},
       {WeightReplacement::without_largest, "without_largest",
        "the largest weight set to 0, the others scaled up; for attention of one layer"}});
}

/// The sentence metrics of minimum-risk training.
enum class RiskMetric { bleu, chrf };

constexpr auto name_table(RiskMetric) {
  return std::to_array<NamedValue<RiskMetric>>(
      {{RiskMetric::bleu, "bleu"}, {RiskMetric::chrf, "chrf"}});
}

/// After a file could not be written: warn and continue, or stop.
enum class OnSaveError { proceed, stop };

constexpr auto name_table(OnSaveError) {
  return std::to_array<NamedValue<OnSaveError>>(
      {{OnSaveError::proceed, "continue"}, {OnSaveError::stop, "stop"}});
}

/// If an update gets no memory: end the run, or compute batches in parts.
enum class OnOutOfMemory { stop, split };

constexpr auto name_table(OnOutOfMemory) {
  return std::to_array<NamedValue<OnOutOfMemory>>(
      {{OnOutOfMemory::stop, "stop"}, {OnOutOfMemory::split, "split"}});
}

/// The config section `training.adam`: constants of Adam and AdamW (Kingma & Ba 2015, Alg. 1).
struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;

  bool operator==(const AdamOptions&) const = default;
};

/// The config section `training.decay`: how the schedules lower the learning rate.
struct DecayOptions {
  double factor = 0.5;           ///< exponential, plateau, halving: what the rate is multiplied by
  int64_t start_updates = 0;     ///< exponential: updates before the decay begins
  int64_t every_updates = 1000;  ///< exponential: updates in which the rate falls by one factor
  double start_epochs = 5.0;     ///< halving: epochs before the first cut
  double every_epochs = 1.0;     ///< halving: epochs between cuts
  int64_t patience = 2;          ///< plateau: validations without a new best before a cut
  double minimum = 0.0;          ///< the rate never falls below this

  bool operator==(const DecayOptions&) const = default;
};

/// An interval in updates or epochs, whichever ends first; 0: this unit is not counted.
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

/// Numbers of snapshots of the weights, taken at validations: the last ones or the best ones.
struct SnapshotCounts {
  int64_t last = 0;
  int64_t best = 0;
};

/// The config section `training.validation`.
struct ValidationOptions {
  ValidationMetric metric = ValidationMetric::bleu;  ///< for the best weights, plateau, patience
  int64_t beam = 5;           ///< hypotheses of beam search; 0: nothing is translated, no BLEU
  int64_t max_sentences = 0;  ///< the first sentences of the validation set; 0: all
  BleuTokenizer tokenize = BleuTokenizer::automatic;
  bool lowercase = false;  ///< BLEU on lower-cased text
  int64_t samples = 4;     ///< translations shown in the report with their attention
};

/// The config section `training.guided_alignment`: attention is trained towards given word links
/// (Chen et al. 2016, arXiv 1607.01628).
struct GuidedAlignmentOptions {
  std::vector<std::string> links;  ///< Pharaoh files, one for each of data.train; empty: off
  /// The objective of an update is (sum of the words' losses + weight * decay^epochs * sum of the
  /// attention's losses) / target tokens. The paper divides the attention's loss, but not the
  /// words' loss, by the length of each sentence. Its equal weights correspond to about 0.05 here
  /// for sentences of 20 tokens.
  double weight = 0.05;
  AlignmentLoss loss = AlignmentLoss::cross_entropy;
  double decay = 1.0;  ///< factor of the weight per epoch
  /// A target token's links train the attention of the decoding step that comes this many steps (0
  /// or 1) after the token's own. With 1 the decoder has read the token, so attention aligns a
  /// known token (as in Garg et al. 2019, arXiv 1909.02074, Sec. 4.2) rather than the one to
  /// predict.
  int64_t shift = 0;
  /// The head (from 1) that the links train, in the layer that the model shows (`alignment_layer`),
  /// as in Garg et al., Sec. 4.1; 0: the mean over the heads. Links are read from the same head.
  int64_t head = 0;
};

/// The config section `training.attention_faithfulness`: words should be less probable with other
/// attention weights (after Moradi et al. 2021, EACL).
struct FaithfulnessOptions {
  double weight = 0.0;  ///< of attention_gain() in the objective; 0: off
  WeightReplacement replacement = WeightReplacement::uniform;
};

/// The config section `training.mrt`: minimum-risk training (Shen et al. 2016, arXiv 1512.02433).
struct MinimumRiskOptions {
  int64_t samples = 0;  ///< candidates drawn per sentence, besides the reference; 0: off
  RiskMetric cost = RiskMetric::bleu;  ///< a candidate costs 1 - its sentence score
  double sharpness = 0.005;            ///< alpha: candidates count by p(y | x)^alpha
  double nll = 0.3;                    ///< share of the usual objective
  double length_penalty = 0.0;         ///< log p is divided by length^length_penalty first
  double temperature = 1.0;            ///< of the draws
  int64_t top_k = 0;                   ///< draw among this many most probable pieces; 0: all
};

/// The config section `training.distributed`: training with several processes.
struct DistributedOptions {
  double timeout = 60.0;  ///< longest wait for another process' message, seconds
  GradientPrecision precision = GradientPrecision::f32;  ///< of gradients between processes
};

/// The config section `training`.
struct TrainingOptions {
  OptimizerKind optimizer = OptimizerKind::adam;
  double learning_rate = 0.001;
  AdamOptions adam;
  double momentum = 0.0;      ///< sgd
  double weight_decay = 0.0;  ///< adamw: decoupled; adam and sgd: added to the gradient
  ScheduleKind schedule = ScheduleKind::plateau;
  int64_t warmup_updates = 0;
  DecayOptions decay;
  data::BatchOptions batch;
  GuidedAlignmentOptions guided_alignment;
  FaithfulnessOptions attention_faithfulness;
  int64_t accumulate = 1;  ///< batches per update
  double clip_norm = 1.0;  ///< 0: no clipping
  double label_smoothing = 0.0;
  double r_drop = 0.0;  ///< alpha of R-Drop; 0: off
  MinimumRiskOptions mrt;
  Precision precision = Precision::f32;  ///< operands of matrix products
  decode::KernelKind kernels = decode::KernelKind::fused;
  bool recompute_layers = false;  ///< gradient checkpointing
  int64_t max_epochs = 30;        ///< 0: no limit, also in the next two
  int64_t max_updates = 0;
  double max_minutes = 0.0;  ///< in the training loop, summed over resumed runs
  ValidateEvery validate_every;
  ValidationOptions validation;
  int64_t patience = 8;  ///< validations without a new best before the end; 0: never
  double ema = 0.0;      ///< decay of the moving average of the weights; 0: none
  SnapshotCounts keep;
  SnapshotCounts average;
  SaveEvery save_every;
  OnSaveError on_save_error = OnSaveError::proceed;
  OnOutOfMemory on_out_of_memory = OnOutOfMemory::stop;
  int64_t log_every = 100;       ///< updates
  int64_t skip_non_finite = 10;  ///< skipped updates in a row that are tolerated
  std::string init_from;         ///< model folder to start from; empty: random weights
  DistributedOptions distributed;
};

void describe(config::Schema<AdamOptions>& schema);
void describe(config::Schema<DecayOptions>& schema);
void describe(config::Schema<ValidateEvery>& schema);
void describe(config::Schema<SaveEvery>& schema);
void describe(config::Schema<SnapshotCounts>& schema);
void describe(config::Schema<ValidationOptions>& schema);
void describe(config::Schema<GuidedAlignmentOptions>& schema);
void describe(config::Schema<FaithfulnessOptions>& schema);
void describe(config::Schema<MinimumRiskOptions>& schema);
void describe(config::Schema<DistributedOptions>& schema);
void describe(config::Schema<TrainingOptions>& schema);

}  // namespace attend::train
