#!/usr/bin/env bash
# Trains with two processes under real launchers (torchrun and Slurm's srun): the weights must equal those of
# `attend train --ranks 2`.
#   tests/e2e/launchers_test.sh PROGRAM
# Skips, with a message, launchers that are not installed and Slurm without a running cluster. Simulates mpirun by its
# environment variables.
set -euo pipefail
attend=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
# shellcheck disable=SC2064  # expand $work now
trap "rm -rf '$work'" EXIT
cd "$work"

for language in en de; do
  head -n 120 "$root/data/quickstart/train.$language" >"train.$language"
  head -n 8 "$root/data/quickstart/dev.$language" >"dev.$language"
done
cat >tiny.yaml <<'CONFIG'
data:
  train: {source: train.en, target: train.de}
  dev: {source: dev.en, target: dev.de}
tokenizer: {vocabulary: 200}
model: {embedding: 16, encoder: {hidden: 16}, decoder: {hidden: 16}, dropout: {layer: 0.1}}
training: {batch: {size: 16, unit: sentences}, max_updates: 10, distributed: {timeout: 30}}
CONFIG

fail() {
  echo "launchers_test.sh: $*" >&2
  exit 1
}

# check NAME COMMAND...: runs the command, which trains in folder NAME, and compares its weights.
check() {
  local name=$1
  shift
  "$@" >"$name.log" 2>&1 || fail "$name: exit code $?: $(cat "$name.log")"
  cmp -s ranks/last.safetensors "$name/last.safetensors" || fail "$name: weights differ from those of --ranks"
  [[ $(grep -c "processes of 1 threads train together" "$name.log") == 1 ]] || fail "$name: expected messages from one process only: $(cat "$name.log")"
  echo "launchers_test.sh: $name passed"
}

"$attend" train tiny.yaml --output ranks --ranks 2 --threads 2 --device cpu 2>ranks.log || fail "$(cat ranks.log)"
"$attend" train tiny.yaml --output alone --threads 1 --device cpu 2>alone.log || fail "$(cat alone.log)"
cmp -s ranks/last.safetensors alone/last.safetensors && fail "two processes had the same dropout as one"

# With constant weights, validation gives the same result with any number of processes, which share the batches.
for ranks in 1 2 3; do
  "$attend" train tiny.yaml --output "validated-$ranks" --ranks "$ranks" --threads "$ranks" --device cpu \
    --set training.learning_rate=1e-30 --set decoding.batch_size=2 2>validated.log || fail "$(cat validated.log)"
  grep '"type":"validation"' "validated-$ranks/train.jsonl" | sed 's/"timing":{[^}]*}//' >"validated-$ranks.jsonl"
  cmp validated-1.jsonl "validated-$ranks.jsonl" || fail "$ranks processes: loss or BLEU differs from one process"
done
[[ -s validated-1.jsonl ]] || fail "no validation took place"

# states PROCESS: prints the states of the process and its children (T: stopped).
states() {
  local process
  for process in "$1" $(<"/proc/$1/task/$1/children"); do cut -d' ' -f3 "/proc/$process/stat"; done | tr -d '\n'
}

# Ctrl-Z reaches only the first process; the others must stop and continue with it.
"$attend" train tiny.yaml --output rested --ranks 2 --threads 2 --device cpu --set training.max_updates=300 \
  --set training.max_epochs=0 2>rested.log &
first=$!
until [[ -e rested/last.state ]]; do
  kill -0 "$first" 2>/dev/null || fail "the run ended before it was suspended: $(cat rested.log)"
  sleep 0.01
done
kill -TSTP "$first"
for ((i = 0; i < 500; i++)); do
  seen=$(states "$first")
  [[ $seen != TTT ]] || break
  sleep 0.01
done
kill -CONT "$first"
wait "$first" || fail "after being suspended: exit code $?: $(cat rested.log)"
[[ $seen == TTT ]] || fail "Ctrl-Z: process states $seen, expected TTT (T: stopped)"

if command -v torchrun >/dev/null; then
  # Debian 12's torchrun crashes if its output is not redirected.
  check torchrun torchrun --no_python --redirects 1 --tee 1 --nproc_per_node 2 --master_port 29613 \
    "$attend" train tiny.yaml --output torchrun --threads 1 --device cpu
else
  echo "launchers_test.sh: skipped torchrun: not installed (python3-torch)"
fi
if command -v srun >/dev/null && timeout 5 sinfo --noheader 2>/dev/null | grep -q idle; then
  check srun srun --ntasks 2 "$attend" train tiny.yaml --output srun --device cpu
else
  echo "launchers_test.sh: skipped srun: Slurm is not installed (slurm-wlm) or has no idle node"
fi

# as_open_mpi COMMAND...: runs two processes with mpirun's environment variables, without mpirun. Writes their messages
# to mpi.0.log and mpi.1.log, and prints their exit codes.
as_open_mpi() {
  local rank process codes=() processes=()
  for rank in 0 1; do
    OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=$rank OMPI_COMM_WORLD_LOCAL_SIZE=2 \
      MASTER_PORT=29617 "$@" 2>"mpi.$rank.log" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process" && codes+=(0) || codes+=($?)
  done
  echo "${codes[*]}"
}

# The process that hosts the shared state of the run must end last, so that the others can read its outcome.
for turn in 1 2 3; do
  ended=$(as_open_mpi "$attend" train tiny.yaml --set data.train.source=missing --output "missing$turn" --threads 1 --device cpu)
  [[ $ended == "3 3" ]] || fail "a missing text under mpirun: exit codes $ended: $(cat mpi.1.log)"
  [[ ! -s mpi.1.log ]] || fail "a missing text under mpirun: both processes print messages: $(cat mpi.1.log)"
done
ended=$(as_open_mpi "$attend" train tiny.yaml --output mpi --threads 1 --device cpu)
[[ $ended == "0 0" ]] || fail "mpirun: exit codes $ended: $(cat mpi.0.log mpi.1.log)"
cmp -s ranks/last.safetensors mpi/last.safetensors || fail "mpirun: weights differ from those of --ranks"
