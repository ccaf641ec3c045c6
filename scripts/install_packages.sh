#!/usr/bin/env bash
# Installs the system's packages for building, testing and running attend on Debian 12. For Debian 13 and Ubuntu 24.04 the
# names are taken from their package lists; building attend there is untested.
#   scripts/install_packages.sh               all packages for the build and the tests
#   scripts/install_packages.sh PACKAGE...    only these
#   scripts/install_packages.sh --list        prints the packages of the first form and installs nothing
# Asks no questions. Needs root or sudo only if a package is missing; does nothing if none is. If another program is
# installing packages, as on a cloud machine in its first minutes, the script waits for it.
set -euo pipefail

build_packages=(
  python3
  g++ cmake ninja-build ccache pkg-config
  libtorch-dev libgloo-dev libopenblas-openmp-dev
  libsentencepiece-dev libyaml-cpp-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev
  libboost-dev libicu-dev zlib1g-dev libcairo2-dev libpango1.0-dev fonts-dejavu-core
  libgtest-dev libgmock-dev libbenchmark-dev
)

os_release=${OS_RELEASE_FILE:-/etc/os-release}  # the tests set another file

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

lock_seconds=900  # how long to wait for the locks of apt and dpkg

# Runs apt-get as soon as apt's locks are free. apt-get itself waits only for dpkg's lock, not for those of its lists and
# archives.
apt_get() {
  local deadline=$((SECONDS + lock_seconds)) log status
  log=$(mktemp)
  while true; do
    status=0
    run_as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout="$lock_seconds" "$@" 2>&1 |
      tee "$log" || status=$?
    if ! grep -q "^E: Could not get lock" "$log" || ((SECONDS >= deadline)); then break; fi
    echo "install_packages.sh: another program is installing; waiting for it, at most $lock_seconds seconds" >&2
    sleep 5
  done
  rm -f "$log"
  return "$status"
}

# Package mirrors fail now and then, so try a few times, with pauses.
retry() {
  local attempt
  for attempt in 1 2 3 4; do
    "$@" && return 0
    echo "install_packages.sh: attempt $attempt failed: $*" >&2
    sleep $((attempt * 3))
  done
  return 1
}

# "debian 12"; empty if unknown.
system_name() {
  # shellcheck source=/dev/null
  if [[ -r $os_release ]]; then (source "$os_release" && echo "${ID:-} ${VERSION_ID:-}"); fi
}

check_system() {
  if ! command -v apt-get >/dev/null; then
    fail "this is not Debian (no apt-get); install the equivalents of these Debian packages yourself: ${wanted[*]}"
  fi
  case $system in
    "debian 12") ;;
    "debian 13" | "ubuntu 24.04")
      echo "install_packages.sh: the package names of $system are known, but attend was never built there" >&2 ;;
    *) echo "install_packages.sh: tested on Debian 12 only, this is ${system:-unknown}; continuing" >&2 ;;
  esac
}

# Ubuntu 24.04 has no package of LibTorch, and LibTorch's own archive has its own Gloo.
explain_torch() {
  cat >&2 <<END
install_packages.sh: $system has no LibTorch. Unpack the archive "LibTorch, C++11 ABI, CPU" of pytorch.org and build with
  scripts/build.sh -DCMAKE_PREFIX_PATH=/path/to/libtorch
END
}

system=$(system_name)
if [[ $system == "ubuntu 24.04" ]]; then
  mapfile -t build_packages < <(printf '%s\n' "${build_packages[@]}" | grep -vxE 'libtorch-dev|libgloo-dev')
fi
if [[ ${1:-} == --list ]]; then
  printf '%s\n' "${build_packages[@]}"
  exit
fi
wanted=("$@")
[[ $# -gt 0 ]] || wanted=("${build_packages[@]}")
check_system
if [[ $# == 0 && $system == "ubuntu 24.04" ]]; then explain_torch; fi
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
