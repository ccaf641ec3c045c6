#include "train/options.h"

#include "config/keys_of.h"

namespace attend::train {
namespace {

std::string no_bleu_without_search(const ValidationOptions& options) {
  if (options.metric != ValidationMetric::bleu || options.beam > 0) return "";
  return "BLEU needs translations; give beam: 1 or more, or metric: loss";
}

std::string no_validation(const ValidateEvery& every) {
  return every.updates == 0 && every.epochs == 0
             ? "updates and epochs are both 0, so nothing would be validated; set one of them"
             : "";
}

std::string two_kinds_of_snapshot(const SnapshotCounts& counts) {
  return counts.last > 0 && counts.best > 0
             ? "last and best cannot both be set; leave one of them 0"
             : "";
}

std::string no_limit(const TrainingOptions& options) {
  const bool endless = options.max_epochs == 0 && options.max_updates == 0 &&
                       options.max_minutes == 0.0 && options.patience == 0;
  return endless ? "all limits are 0, so training would never end; set one of them" : "";
}

std::string one_cycle_that_never_falls(const TrainingOptions& options) {
  if (options.schedule != ScheduleKind::one_cycle) return "";
  if (options.max_epochs == 0 && options.max_updates == 0 && options.max_minutes == 0.0)
    return "one_cycle ends where training does: set max_epochs, max_updates or max_minutes";
  return options.max_updates == 0 || options.warmup_updates < options.max_updates
             ? ""
             : "one_cycle lowers the rate after the warm-up, but the warm-up lasts until the end; "
               "give fewer warmup_updates";
}

std::string inverse_sqrt_without_warmup(const TrainingOptions& options) {
  if (options.schedule != ScheduleKind::inverse_sqrt || options.warmup_updates > 0) return "";
  return "inverse_sqrt starts where the warm-up ends; give warmup_updates: 1 or more (4000 is "
         "usual)";
}

std::string two_passes_and_risk(const TrainingOptions& options) {
  if (options.r_drop == 0.0 || options.mrt.samples == 0) return "";
  return "R-Drop and minimum-risk training cannot be combined; train with r_drop first, then start "
         "from that model (init_from) with mrt and r_drop: 0";
}

std::string no_candidates(const MinimumRiskOptions& options) {
  const MinimumRiskOptions usual;
  const bool changed = options.cost != usual.cost || options.sharpness != usual.sharpness ||
                       options.nll != usual.nll || options.temperature != usual.temperature ||
                       options.length_penalty != usual.length_penalty ||
                       options.top_k != usual.top_k;
  if (options.samples > 0 || !changed) return "";
  return "without candidates there is no risk to minimise; give samples (for example 20)";
}

std::string nothing_guides(const GuidedAlignmentOptions& options) {
  const GuidedAlignmentOptions usual;
  const bool changed = options.weight != usual.weight || options.loss != usual.loss ||
                       options.decay != usual.decay || options.shift != usual.shift ||
                       options.head != usual.head;
  if (!options.links.empty() || !changed) return "";
  return "guidance needs word links, and there are none; set links, or leave guided_alignment out";
}

std::string nothing_is_replaced(const FaithfulnessOptions& options) {
  if (options.weight > 0.0 || options.replacement == FaithfulnessOptions().replacement) return "";
  return "with weight: 0 nothing is replaced; give a weight (for example 0.5), or leave "
         "replacement "
         "out";
}

std::string only_likelihood(const MinimumRiskOptions& options) {
  if (options.samples == 0 || options.nll < 1.0) return "";
  return "with nll: 1 the expected cost has no weight, so its samples would be unused; set nll "
         "below 1, or samples: 0";
}

/// Declares the keys that only some optimisers and schedules read.
void describe_readers(config::Schema<TrainingOptions>& schema) {
  using Options = TrainingOptions;
  const config::KeysOf optimizers(schema, "optimizer", &Options::optimizer);
  optimizers.add("momentum", &Options::momentum, {OptimizerKind::sgd});
  optimizers.add("adam", &Options::adam, {OptimizerKind::adam, OptimizerKind::adamw});
  config::KeysOf(schema, "schedule", &Options::schedule)
      .add("decay", &Options::decay,
           {ScheduleKind::inverse_sqrt, ScheduleKind::exponential, ScheduleKind::plateau,
            ScheduleKind::halving, ScheduleKind::one_cycle});
}

void describe_optimizer(config::Schema<TrainingOptions>& schema) {
  using Options = TrainingOptions;
  schema.choice("optimizer", &Options::optimizer,
                "Adam (Kingma & Ba 2015), Adam with decoupled weight decay (Loshchilov & Hutter "
                "2019), or stochastic gradient descent with momentum.");
  schema.number("learning_rate", &Options::learning_rate, config::above(0.0),
                "Step size before the schedule changes it; the peak if there is a warm-up.");
  schema.section("adam", &Options::adam, "Constants of adam and adamw.");
  schema.number("momentum", &Options::momentum, config::in_range(0.0, 1.0),
                "sgd: share of the previous step that is added to each step.");
  schema.number(
      "weight_decay", &Options::weight_decay, config::at_least(0.0),
      "adamw: each update shrinks the weights by the fraction learning_rate * weight_decay. adam "
      "and sgd: weight_decay times the weights is added to the gradient.");
}

void describe_schedule(config::Schema<TrainingOptions>& schema) {
  using Options = TrainingOptions;
  schema.choice("schedule", &Options::schedule,
                "How the learning rate changes:" + enum_meanings<ScheduleKind>());
  schema.integer("warmup_updates", &Options::warmup_updates, config::at_least<int64_t>(0),
                 "The rate rises linearly from 0 over this many updates, with every schedule.");
  schema.section("decay", &Options::decay, "How the schedules lower the learning rate.");
}

void describe_update(config::Schema<TrainingOptions>& schema) {
  using Options = TrainingOptions;
  schema.section("batch", &Options::batch, "Size of a batch.");
  schema.integer("accumulate", &Options::accumulate, config::at_least<int64_t>(1),
                 "Batches whose gradients are summed for one update.");
  schema.number("clip_norm", &Options::clip_norm, config::at_least(0.0),
                "Largest norm of the gradient (Euclidean, over all parameters, of the loss per "
                "target token); a larger gradient is scaled down to it. 0 is off.");
  schema.number("label_smoothing", &Options::label_smoothing, config::in_range(0.0, 1.0),
                "Share of the target probability spread evenly over the vocabulary (Szegedy et "
                "al. 2016); 0.1 is usual.");
  schema.number("r_drop", &Options::r_drop, config::at_least(0.0),
                "Alpha of R-Drop (Liang et al. 2021; 5 there): each batch is computed twice with "
                "different dropout, and alpha / 4 times KL(1 || 2) + KL(2 || 1) of the two "
                "predictions of each token is added to the mean of their losses. 0 is off. An "
                "update takes about twice as long.");
  schema.section(
      "mrt", &Options::mrt,
      "Minimum-risk training (Shen et al. 2016): lowers the expected cost of the model's "
      "own translations, to fine-tune a trained model (init_from).");
  schema.section(
      "guided_alignment", &Options::guided_alignment,
      "Train attention towards given word links (Chen et al. 2016), in addition to the words.");
  schema.section("attention_faithfulness", &Options::attention_faithfulness,
                 "Reward words that are less probable with other attention weights (after Moradi "
                 "et al. 2021), in addition to the words.");
  schema.choice(
      "precision", &Options::precision,
      "Number format of the operands of matrix products in training. bf16 needs a GPU or a CPU "
      "with AVX512_BF16; it is two to three times as fast on AMD and on Intel with AMX, and slower "
      "on Intel without; sums, weights, softmax and optimiser stay f32. "
      "tf32 is for GPUs: f32 whose products read 10 bits of the fraction.");
  schema.choice("kernels", &Options::kernels,
                "fused: recurrent layers, decoder and loss run as kernels for whole sequences on "
                "the CPU, where the kernels support the model; plain: LibTorch operations.");
  schema.flag(
      "recompute_layers", &Options::recompute_layers,
      "Gradient checkpointing (Chen et al. 2016): layers of a transformer, ssru, gru or lstm stack "
      "keep only their inputs and are computed again in the backward pass. Same results, less "
      "memory, twice the forward time.");
}

void describe_limits(config::Schema<TrainingOptions>& schema) {
  using Options = TrainingOptions;
  schema.integer("max_epochs", &Options::max_epochs, config::at_least<int64_t>(0),
                 "Training ends after this many passes over the data; 0 is no limit.");
  schema.integer("max_updates", &Options::max_updates, config::at_least<int64_t>(0),
                 "Training ends after this many updates; 0 is no limit.");
  schema.number("max_minutes", &Options::max_minutes, config::at_least(0.0),
                "Training ends after this many minutes in the training loop, validation included, "
                "summed over resumed runs; 0 is no limit.");
  schema.section("validate_every", &Options::validate_every,
                 "Interval between validations, in updates or epochs, whichever is due first.");
  schema.section("validation", &Options::validation, "How the validation set is scored.");
  schema.integer("patience", &Options::patience, config::at_least<int64_t>(0),
                 "Training ends after this many validations without a new best; 0 is never.");
}

void describe_weights(config::Schema<TrainingOptions>& schema) {
  using Options = TrainingOptions;
  schema.number("ema", &Options::ema, config::from_to_below(0.0, 1.0),
                "Decay per update of an exponential moving average of the weights (0.999 is "
                "usual). The average is validated and saved as best and last; 0 is off.");
  schema.section("keep", &Options::keep,
                 "Snapshots update-N.safetensors that stay in the model folder, for `attend "
                 "average`; one is taken at every validation.");
  schema.section(
      "average", &Options::average,
      "At the end, average this many snapshots; the average becomes best.safetensors if it "
      "is better on the validation set.");
  schema.section("save_every", &Options::save_every,
                 "Interval between saved states for --resume, in addition to every validation.");
  schema.choice("on_save_error", &Options::on_save_error,
                "If a file cannot be written (the disk is full): warn and continue until the next "
                "save, or end with exit code 3. Earlier files stay usable. The first and the last "
                "save must succeed.");
  schema.choice(
      "on_out_of_memory", &Options::on_out_of_memory,
      "If an update gets no memory: end with exit code 1 and the state saved, or compute "
      "this and all later batches in more parts, one after the other. Parts have the same "
      "gradients up to rounding; on a GPU they draw other dropout. In one process only.");
  schema.integer("log_every", &Options::log_every, config::at_least<int64_t>(1),
                 "Updates between two lines of the log.");
  schema.integer("skip_non_finite", &Options::skip_non_finite, config::at_least<int64_t>(0),
                 "Updates in a row that may be skipped because the loss or the gradient is not "
                 "finite; one more ends training with exit code 4. 0: the first one ends it.");
  schema.path("init_from", &Options::init_from,
              "Model folder whose weights training starts from, with its tokenizer; null: random "
              "weights. They are validated first, and are the best until a validation is better.");
  schema.section("distributed", &Options::distributed,
                 "Training with several processes (attend train --ranks, torchrun, srun, mpirun).");
}

}  // namespace

void describe(config::Schema<AdamOptions>& schema) {
  // With a decay of 1 the bias correction would divide by 0.
  schema.number("beta1", &AdamOptions::beta1, config::from_to_below(0.0, 1.0),
                "Decay of the mean of the gradients.");
  schema.number("beta2", &AdamOptions::beta2, config::from_to_below(0.0, 1.0),
                "Decay of the mean of the squared gradients.");
  // In f32, which the kernels use, much smaller numbers are 0, and a step could be 0 / 0.
  schema.number("epsilon", &AdamOptions::epsilon, config::in_range(1e-30, 1e30),
                "Added to the root of the mean square.");
}

void describe(config::Schema<DecayOptions>& schema) {
  using Options = DecayOptions;
  schema.number("factor", &Options::factor, config::in_range(0.0, 1.0),
                "exponential, plateau, halving: what the rate is multiplied by.");
  schema.integer("start_updates", &Options::start_updates, config::at_least<int64_t>(0),
                 "exponential: updates before the decay begins.");
  schema.integer("every_updates", &Options::every_updates, config::at_least<int64_t>(1),
                 "exponential: updates in which the rate falls, smoothly, by one factor.");
  schema.number("start_epochs", &Options::start_epochs, config::at_least(0.0),
                "halving: epochs at the full rate.");
  schema.number("every_epochs", &Options::every_epochs, config::above(0.0),
                "halving: epochs between two cuts; 0.5 cuts twice an epoch.");
  schema.integer("patience", &Options::patience, config::at_least<int64_t>(1),
                 "plateau: validations without a new best before a cut.");
  schema.number("minimum", &Options::minimum, config::at_least(0.0),
                "The decay never takes the rate below this.");
}

void describe(config::Schema<ValidateEvery>& schema) {
  schema.integer("updates", &ValidateEvery::updates, config::at_least<int64_t>(0), "0 is off.");
  schema.integer("epochs", &ValidateEvery::epochs, config::at_least<int64_t>(0), "0 is off.");
  schema.rule({"updates", "epochs"}, no_validation);
}

void describe(config::Schema<SaveEvery>& schema) {
  schema.integer("updates", &SaveEvery::updates, config::at_least<int64_t>(0), "0 is off.");
  schema.number("minutes", &SaveEvery::minutes, config::at_least(0.0), "0 is off.");
}

void describe(config::Schema<SnapshotCounts>& schema) {
  schema.integer("last", &SnapshotCounts::last, config::at_least<int64_t>(0),
                 "Number of the last snapshots; 0 is off.");
  schema.integer("best", &SnapshotCounts::best, config::at_least<int64_t>(0),
                 "Number of the best snapshots by validation.metric; 0 is off.");
  schema.rule({"last", "best"}, two_kinds_of_snapshot);
}

void describe(config::Schema<ValidationOptions>& schema) {
  using Options = ValidationOptions;
  schema.choice("metric", &Options::metric,
                "Decides which weights are best, when a plateau is reached and when to stop.");
  schema.integer("beam", &Options::beam, config::in_range<int64_t>(0, decode::kWidestBeamOfConfig),
                 "Beam of the translation that BLEU is computed on; 0: loss and perplexity only.");
  schema.integer("max_sentences", &Options::max_sentences, config::at_least<int64_t>(0),
                 "Sentences of the validation set that are used, from its start; 0 is all.");
  schema.choice("tokenize", &Options::tokenize,
                "BLEU's tokenisation; none for text that is tokenised already. auto chooses by the "
                "script of the references: zh for Chinese, ja-mecab for Japanese if MeCab is "
                "installed, char for other scripts without spaces between words, 13a otherwise.");
  schema.flag("lowercase", &Options::lowercase, "Lower-case both sides for BLEU.");
  schema.integer("samples", &Options::samples, config::at_least<int64_t>(0),
                 "Translations shown in the report, with their attention.");
  schema.rule({"metric", "beam"}, no_bleu_without_search);
}

void describe(config::Schema<GuidedAlignmentOptions>& schema) {
  using Options = GuidedAlignmentOptions;
  schema.paths("links", &Options::links,
               "File of links i-j between the words of data.train (Pharaoh format), with a line "
               "for each line pair; a list of files if data.train is a list. null: no guidance.");
  schema.number(
      "weight", &Options::weight, config::at_least(0.0),
      "Weight of the attention's loss. Both that loss and the words' loss are per target token.");
  schema.choice("loss", &Options::loss,
                "Loss that compares attention with links, at the target pieces that have links.");
  schema.number("decay", &Options::decay, config::in_range(0.0, 1.0),
                "The weight is multiplied by this after every epoch; 0.9 lets it fade.");
  schema.integer(
      "shift", &Options::shift, config::in_range<int64_t>(0, 1),
      "Decoding step that a word's links train. 0: the one that predicts the word; 1: the next, "
      "which has read the word and gives better links. attend align uses the same step.");
  schema.integer("head", &Options::head, config::in_range<int64_t>(0, 1024),
                 "Head that the links train, from 1 (in decoder.alignment_layer of a transformer); "
                 "0 is the mean over all. attend align uses the same head.");
  schema.idle_rule({"weight", "loss", "decay", "shift", "head", "links"}, nothing_guides);
}

void describe(config::Schema<FaithfulnessOptions>& schema) {
  using Options = FaithfulnessOptions;
  schema.number("weight", &Options::weight, config::at_least(0.0),
                "Weight of p(word) - p(word with replaced weights), summed over the target tokens, "
                "which training raises. Fine-tune a trained model with it (init_from; for example "
                "with 0.5): from random weights it slows learning. Each position is computed twice "
                "more by plain LibTorch operations, and an update takes about six times as long. 0 "
                "is off.");
  schema.choice("replacement", &Options::replacement,
                "What replaces the weights of a position, in every head; states before it stay:" +
                    enum_meanings<WeightReplacement>());
  schema.idle_rule({"replacement", "weight"}, nothing_is_replaced);
}

void describe(config::Schema<MinimumRiskOptions>& schema) {
  using Options = MinimumRiskOptions;
  schema.integer("samples", &Options::samples, config::in_range<int64_t>(0, 1000),
                 "Translations drawn for each sentence, besides its reference; 0 is off. 10 to 100 "
                 "are usual; time and memory of an update grow with this number.");
  schema.choice("cost", &Options::cost,
                "A translation costs 1 - its sentence score by this metric: BLEU (exponential "
                "smoothing, effective order; tokenizer and case of training.validation) or chrF2.");
  schema.number("sharpness", &Options::sharpness, config::above(0.0),
                "Translations of a sentence are weighted by p(y | x)^sharpness (alpha of the "
                "paper). The gradient of their risk grows with sharpness: with nll: 0.3, it is "
                "about as long as the likelihood's at 1, and a hundredth of it at 0.005. With a "
                "length_penalty, multiply sharpness by length^length_penalty for the same gradient "
                "(by 40 for 15 pieces and length_penalty 1.4).");
  schema.number("nll", &Options::nll, config::in_range(0.0, 1.0),
                "Share of the usual objective, per token; the rest is the expected cost per "
                "sentence.");
  schema.number(
      "length_penalty", &Options::length_penalty, config::in_range(0.0, 10.0),
      "log p(y | x) is divided by length^length_penalty first. Use the value of "
      "decoding.length_penalty, so that training ranks as search does. 0: off, as in the paper.");
  schema.number("temperature", &Options::temperature, config::in_range(0.01, 100.0),
                "Temperature of the draws; below 1, probable pieces are drawn more often.");
  schema.integer("top_k", &Options::top_k, config::at_least<int64_t>(0),
                 "Draw among this many most probable pieces; 0 is all.");
  schema.rule({"samples", "cost", "sharpness", "nll", "length_penalty", "temperature", "top_k"},
              no_candidates);
  schema.idle_rule({"nll", "samples"}, only_likelihood);
}

void describe(config::Schema<DistributedOptions>& schema) {
  schema.number(
      "timeout", &DistributedOptions::timeout, config::in_range(2.0, 86400.0),
      "Seconds after which a process that died, hangs or lost its network ends the whole run. Give "
      "more than the longest time that one process waits for another in an update.");
  schema.choice("precision", &DistributedOptions::precision,
                "Number format of gradients between processes. bf16 sends half the bytes and "
                "rounds each process's gradients, and their sum, to 8 bits; processes on one "
                "machine then send messages and do not share memory.");
}

void describe(config::Schema<TrainingOptions>& schema) {
  describe_optimizer(schema);
  describe_schedule(schema);
  describe_update(schema);
  describe_limits(schema);
  describe_weights(schema);
  schema.rule({"r_drop", "mrt.samples"}, two_passes_and_risk);
  schema.rule({"max_epochs", "max_updates", "max_minutes", "patience"}, no_limit);
  schema.rule({"schedule", "warmup_updates"}, inverse_sqrt_without_warmup);
  schema.rule({"schedule", "warmup_updates", "max_epochs", "max_updates", "max_minutes"},
              one_cycle_that_never_falls);
  describe_readers(schema);
}

}  // namespace attend::train
