#!/usr/bin/env bash
# Builds the Debian package of attend for this system, build-package/attend_VERSION-1_ARCHITECTURE.deb, and checks it with
# lintian if that is installed. Install it with: apt-get install ./build-package/attend_*.deb
# The maintainer is "$DEBFULLNAME <$DEBEMAIL>", by default that of git.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "package.sh: $*" >&2
  exit 1
}

command -v dpkg-deb >/dev/null || fail "this system has no Debian packages (no dpkg-deb); use cmake --install"
name=${DEBFULLNAME:-$(git config user.name || true)}
email=${DEBEMAIL:-$(git config user.email || true)}
[[ -n $name && -n $email ]] || fail "who maintains the package? set DEBFULLNAME and DEBEMAIL"

scripts/install_packages.sh
scripts/install_packages.sh dpkg-dev file
build="build-package"
cmake --preset release -B "$build" -DATTEND_BUILD_TESTS=OFF -DATTEND_DEBIAN_PACKAGE=ON -DCMAKE_INSTALL_PREFIX=/usr \
  -DATTEND_ZSH_FOLDER=share/zsh/vendor-completions -DATTEND_MAINTAINER="$name <$email>"
cmake --build "$build" --parallel "${ATTEND_JOBS:-$(nproc)}"
rm -f "$build"/attend_*.deb
(cd "$build" && cpack -G DEB)
if command -v lintian >/dev/null; then lintian --fail-on error "$build"/attend_*.deb; fi
ls "$PWD/$build"/attend_*.deb
