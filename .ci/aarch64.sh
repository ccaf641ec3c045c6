#!/usr/bin/env bash
# Checks attend on 64-bit ARM from an x86-64 machine. Builds with Debian's cross compiler against Debian's arm64 packages.
# Under qemu, runs the tests of the folders without LibTorch, a short training, and translations with the model in f32 and
# int8. Everything is in build-aarch64/; on the machine itself only the compiler and qemu are installed.
#   .ci/aarch64.sh            everything
#   .ci/aarch64.sh sysroot    only fetches the arm64 packages (about 260 MB), which later runs reuse
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$PWD/build-aarch64
sysroot=$work/sysroot
folders=(core config text metrics align kernels)

say() { printf 'aarch64.sh: %s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Settings for a separate apt. Its list of installed packages is empty, so it fetches all dependencies.
write_apt_settings() {
  mkdir -p "$work"/apt/{state/lists,cache/archives}/partial "$work/apt/sources"
  touch "$work/apt/state/status"
  local mirror=${ATTEND_DEBIAN_MIRROR:-http://deb.debian.org/debian}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >"$work/apt/sources/debian.list"
  cat >"$work/apt/settings" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "$work/apt/state";
Dir::State::status "$work/apt/state/status";
Dir::Cache "$work/apt/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/apt/sources";
Debug::NoLocking "true";
END
}

# The libraries that the build needs, and the font for pictures.
library_packages() {
  scripts/install_packages.sh --list | grep -E -- '-dev$|^fonts-'
}

fetch_packages() {
  local packages
  mapfile -t packages < <(library_packages)
  write_apt_settings
  APT_CONFIG=$work/apt/settings apt-get update -q
  APT_CONFIG=$work/apt/settings apt-get install -yq --download-only "${packages[@]}"
}

# Creates Debian's top-level links and unpacks the packages. Does not run their installation scripts.
unpack() {
  local package folder
  rm -rf "$sysroot"
  for folder in bin lib sbin; do
    mkdir -p "$sysroot/usr/$folder"
    ln -s "usr/$folder" "$sysroot/$folder"
  done
  for package in "$work"/apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" |
      tar -x -C "$sysroot" --keep-directory-symlink --no-same-owner \
        --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='./dev'
  done
}

# Adds the library links that Debian's alternatives would make, and redirects links that lead out of the sysroot.
mend_links() {
  local libraries=$sysroot/usr/lib/aarch64-linux-gnu link name
  for name in libblas.so.3 liblapack.so.3 libopenblas.so.0; do
    ln -sf "openblas-openmp/$name" "$libraries/$name"
  done
  find "$sysroot" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
    ln -sfn --relative "$sysroot$(readlink "$link")" "$link"
  done
}

make_sysroot() {
  [[ ! -e $work/sysroot.done ]] || return 0
  say "fetching and unpacking Debian's arm64 packages"
  fetch_packages
  unpack
  mend_links
  touch "$work/sysroot.done"
}

build() {
  cmake --preset release -B build-aarch64 --toolchain .ci/aarch64.cmake -DATTEND_WERROR=ON
  cmake --build build-aarch64 --parallel "$(nproc)" --target attend "${folders[@]/%/_test}"
}

emulate() { qemu-aarch64-static -L "$sysroot" "$@"; }

run_tests() {
  local folder
  for folder in "${folders[@]}"; do
    say "tests of $folder"
    OMP_NUM_THREADS=2 emulate "build-aarch64/tests/$folder/${folder}_test" --gtest_brief=1
  done
}

attend() { emulate build-aarch64/src/cli/attend "$@"; }

# A model small enough for an emulator.
tiny=(--threads 2 --set model.embedding=16 --set model.encoder.hidden=16 --set model.decoder.hidden=16
  --set tokenizer.vocabulary=300 --set training.max_epochs=0 --set training.max_minutes=0 --set training.patience=0
  --set training.validation.max_sentences=5 --set training.log_every=5 --set training.batch.size=16)

train_and_translate() {
  local runs=build-aarch64/runs model=build-aarch64/runs/model precision
  rm -rf "$runs"
  mkdir -p "$runs"
  say "training"
  attend train configs/quickstart.yaml "${tiny[@]}" --set training.max_updates=40 --output "$model"
  head -n 10 data/quickstart/test.en >"$runs/source"
  head -n 10 data/quickstart/test.de >"$runs/target"
  for precision in f32 int8; do
    say "translation in $precision"
    attend translate --model "$model" --threads 2 --precision "$precision" --input "$runs/source" >"$runs/$precision"
    [[ $(wc -l <"$runs/$precision") -eq 10 ]] || fail "translate --precision $precision: not 10 lines"
  done
  attend score --model "$model" --threads 2 --source "$runs/source" --target "$runs/target" >"$runs/scores"
}

# check_training LOG: fails if the loss did not fall.
check_training() {
  python3 - "$1" <<'END'
import json
import sys

losses = [event["loss"] for event in map(json.loads, open(sys.argv[1], encoding="utf-8")) if "loss" in event]
if not losses[-1] < losses[0] - 0.2:
    sys.exit(f"aarch64.sh: the loss did not fall: {losses}")
END
}

# Compares the scores with those of the native program, if scripts/build.sh has built it.
compare_with_native() {
  local runs=build-aarch64/runs program=build/src/cli/attend
  if [[ ! -x $program ]]; then
    say "no $program: the scores are not compared with native ones"
    return
  fi
  "$program" score --model "$runs/model" --source "$runs/source" --target "$runs/target" >"$runs/native"
  paste "$runs/scores" "$runs/native" | awk '
    { difference = $1 - $2; if (difference < 0) difference = -difference; if (difference > largest) largest = difference }
    END { printf "aarch64.sh: scores differ by at most %g\n", largest > "/dev/stderr"; exit !(NR == 10 && largest < 1e-3) }' ||
    fail "the scores differ from the native ones"
}

scripts/install_packages.sh python3 cmake ninja-build ccache pkg-config g++-aarch64-linux-gnu qemu-user-static
make_sysroot
[[ ${1:-} != sysroot ]] || exit 0
build
run_tests
train_and_translate
check_training build-aarch64/runs/model/train.jsonl
compare_with_native
say "all checks passed"
