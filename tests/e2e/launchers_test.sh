#!/usr/bin/env bash
# Two processes under the launchers torchrun and srun (Slurm) must write the same bytes as `attend train --ranks 2`.
#   tests/e2e/launchers_test.sh PROGRAM
# Skips a launcher that is not installed (or, for Slurm, has no running cluster). mpirun's environment is simulated.
set -euo pipefail
attend=$(realpath "$1")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
# shellcheck disable=SC2064  # the name as it is now
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

# check NAME COMMAND...: the command trains in the folder NAME.
check() {
  local name=$1
  shift
  "$@" >"$name.log" 2>&1 || fail "$name: exit code $?: $(cat "$name.log")"
  cmp -s ranks/last.safetensors "$name/last.safetensors" || fail "$name: weights differ from those with --ranks"
  [[ $(grep -c "processes of 1 threads train together" "$name.log") == 1 ]] || fail "$name: expected one process to log: $(cat "$name.log")"
  echo "launchers_test.sh: $name is good"
}

"$attend" train tiny.yaml --output ranks --ranks 2 --threads 2 --device cpu 2>ranks.log || fail "$(cat ranks.log)"
"$attend" train tiny.yaml --output alone --threads 1 --device cpu 2>alone.log || fail "$(cat alone.log)"
cmp -s ranks/last.safetensors alone/last.safetensors && fail "two processes have the weights of one: they drew the same dropout"

# Any number of processes must measure the same validation, each with its share of the batches. The tiny learning rate
# keeps the weights fixed.
for ranks in 1 2 3; do
  "$attend" train tiny.yaml --output "validated-$ranks" --ranks "$ranks" --threads "$ranks" --device cpu \
    --set training.learning_rate=1e-30 --set decoding.batch_size=2 2>validated.log || fail "$(cat validated.log)"
  grep '"type":"validation"' "validated-$ranks/train.jsonl" | sed 's/"timing":{[^}]*}//' >"validated-$ranks.jsonl"
  cmp validated-1.jsonl "validated-$ranks.jsonl" || fail "$ranks processes found another loss or BLEU than one"
done
[[ -s validated-1.jsonl ]] || fail "nothing was validated"

# states PROCESS: the states of the process and its children; T means stopped.
states() {
  local process
  for process in "$1" $(<"/proc/$1/task/$1/children"); do cut -d' ' -f3 "/proc/$process/stat"; done | tr -d '\n'
}

# Ctrl-Z reaches only the first process: all must stop and continue with it.
"$attend" train tiny.yaml --output rested --ranks 2 --threads 2 --device cpu --set training.max_updates=300 \
  --set training.max_epochs=0 2>rested.log &
first=$!
until [[ -e rested/last.state ]]; do
  kill -0 "$first" 2>/dev/null || fail "the run ended before it could be stopped: $(cat rested.log)"
  sleep 0.01
done
kill -TSTP "$first"
for ((i = 0; i < 500; i++)); do
  seen=$(states "$first")
  [[ $seen != TTT ]] || break
  sleep 0.01
done
kill -CONT "$first"
wait "$first" || fail "after Ctrl-Z and a continuation: exit code $?: $(cat rested.log)"
[[ $seen == TTT ]] || fail "Ctrl-Z: expected the states TTT (all stopped), got $seen"

if command -v torchrun >/dev/null; then
  # Debian 12's torchrun fails in its own code if nothing is redirected.
  check torchrun torchrun --no_python --redirects 1 --tee 1 --nproc_per_node 2 --master_port 29613 \
    "$attend" train tiny.yaml --output torchrun --threads 1 --device cpu
else
  echo "launchers_test.sh: torchrun skipped: it is not installed (python3-torch)"
fi
if command -v srun >/dev/null && timeout 5 sinfo --noheader 2>/dev/null | grep -q idle; then
  check srun srun --ntasks 2 "$attend" train tiny.yaml --output srun --device cpu
else
  echo "launchers_test.sh: srun skipped: Slurm is not installed (slurm-wlm), or no node of it is idle"
fi

# as_open_mpi COMMAND...: runs two processes with the variables that mpirun would set. Writes mpi.0.log and mpi.1.log, and
# prints the exit codes.
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

# The process that keeps the shared store must end last, so that the others still read how the run ended.
for turn in 1 2 3; do
  ended=$(as_open_mpi "$attend" train tiny.yaml --set data.train.source=missing --output "missing$turn" --threads 1 --device cpu)
  [[ $ended == "3 3" ]] || fail "a missing text under mpirun: exit codes $ended: $(cat mpi.1.log)"
  [[ ! -s mpi.1.log ]] || fail "a missing text under mpirun: rank 1 logged too: $(cat mpi.1.log)"
done
ended=$(as_open_mpi "$attend" train tiny.yaml --output mpi --threads 1 --device cpu)
[[ $ended == "0 0" ]] || fail "mpirun: exit codes $ended: $(cat mpi.0.log mpi.1.log)"
cmp -s ranks/last.safetensors mpi/last.safetensors || fail "mpirun: weights differ from those with --ranks"
