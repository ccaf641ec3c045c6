#!/usr/bin/env bash
# Installs what building, testing and running attend needs, from Debian 12 itself.
#   scripts/install_packages.sh               everything for the build and the tests
#   scripts/install_packages.sh PACKAGE...    only these
#   scripts/install_packages.sh --list        installs nothing, prints the packages of the first form
# Asks for nothing, needs root or sudo only where a package is missing, and does nothing where none is. Waits where
# another program is installing, as on a cloud machine in its first minutes.
set -euo pipefail

build_packages=(
  python3
  g++ cmake ninja-build ccache pkg-config
  libtorch-dev libgloo-dev libopenblas-openmp-dev
  libsentencepiece-dev libyaml-cpp-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  libboost-dev libicu-dev zlib1g-dev libcairo2-dev libpango1.0-dev fonts-dejavu-core
  libgtest-dev libgmock-dev libbenchmark-dev
)

fail() {
  echo "install_packages.sh: $*" >&2
  exit 1
}

missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true) == installed ]] || echo "$package"
  done
}

run_as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

lock_seconds=900  # as long as another program may hold the locks of apt and dpkg

# apt-get, once nobody else holds apt's locks. It waits for dpkg's lock itself, but not for those of its lists and
# archives.
apt_get() {
  local deadline=$((SECONDS + lock_seconds)) log status
  log=$(mktemp)
  while true; do
    status=0
    run_as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout="$lock_seconds" "$@" 2>&1 |
      tee "$log" || status=$?
    if ! grep -q "^E: Could not get lock" "$log" || ((SECONDS >= deadline)); then break; fi
    echo "install_packages.sh: another program is installing; waiting for it, $lock_seconds seconds at most" >&2
    sleep 5
  done
  rm -f "$log"
  return "$status"
}

# Mirrors have hiccups: a few tries, with a pause.
retry() {
  local attempt
  for attempt in 1 2 3 4; do
    "$@" && return 0
    echo "install_packages.sh: attempt $attempt failed: $*" >&2
    sleep $((attempt * 3))
  done
  return 1
}

check_system() {
  local id="" version=""
  if [[ -r /etc/os-release ]]; then
    # shellcheck source=/dev/null
    id=$(source /etc/os-release && echo "${ID:-}")
    # shellcheck source=/dev/null
    version=$(source /etc/os-release && echo "${VERSION_ID:-}")
  fi
  if ! command -v apt-get >/dev/null; then
    fail "this is not Debian (no apt-get); install yourself what these Debian packages hold: ${wanted[*]}"
  fi
  [[ $id == debian && $version == 12 ]] ||
    echo "install_packages.sh: tried on Debian 12 only, this is ${id:-unknown} ${version:-}; going on" >&2
}

if [[ ${1:-} == --list ]]; then
  printf '%s\n' "${build_packages[@]}"
  exit
fi
wanted=("$@")
[[ $# -gt 0 ]] || wanted=("${build_packages[@]}")
check_system
mapfile -t missing < <(missing_packages "${wanted[@]}")
if [[ ${#missing[@]} == 0 ]]; then
  echo "install_packages.sh: all packages are installed" >&2
  exit 0
fi
[[ $(id -u) == 0 ]] || command -v sudo >/dev/null ||
  fail "these packages are missing and need root or sudo to install: ${missing[*]}"
echo "install_packages.sh: installing ${missing[*]}" >&2
retry apt_get update -q || fail "apt-get update failed: is the network up?"
retry apt_get install -yq --no-install-recommends "${missing[@]}" || fail "apt-get install failed: see above"
