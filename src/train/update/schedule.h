#pragma once
#include <cstdint>

#include "train/options.h"

namespace attend::train {

/// The progress of training that the learning rate depends on.
struct SchedulePoint {
  int64_t update = 1;    // number of the next update, from 1
  double epochs = 0.0;   // passes over the data done so far, with fractions
  int64_t cuts = 0;      // plateaus so far
  double minutes = 0.0;  // spent in the training loop so far
};

/// The learning rate of an update:
///   rate = min(1, update / warmup_updates) max(learning_rate decay, min(learning_rate, minimum))
/// where decay is, by schedule,
///   constant      1
///   inverse_sqrt  sqrt(warmup_updates / update) after the warm-up (Vaswani et al. 2017, Sec. 5.3,
///                 scaled so that the peak is learning_rate)
///   exponential   factor^((update - start_updates) / every_updates) after start_updates
///   plateau       factor^cuts
///   halving       factor^(1 + floor((epochs - start_epochs) / every_epochs)) from start_epochs on
///                 (Luong, Pham & Manning 2015, Sec. 4.1: start 5, every 1, factor 0.5)
///   one_cycle     (1 + cos(pi done)) / 2 (Smith & Topin 2018, arXiv 1708.07120; the cosine is
///                 Loshchilov & Hutter's 2017, arXiv 1608.03983, Eq. 5), where done goes from 0 at
///                 the end of the warm-up to 1 at the first limit. It is the largest of
///                 (share - start) / (1 - start) over the limits in use (epochs, minutes, updates):
///                 share is the part of the way to the limit, and start = min(3/4, share
///                 warmup_updates / update) is that part at the end of the warm-up, estimated from
///                 the pace so far
[[nodiscard]] double learning_rate(const TrainingOptions& options, const SchedulePoint& point);

/// The weight of guided attention after `epochs` passes over the data: weight decay^floor(epochs).
[[nodiscard]] double alignment_weight(const GuidedAlignmentOptions& options, double epochs);

}  // namespace attend::train
