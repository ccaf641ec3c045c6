#!/usr/bin/env bash
# Installs the Debian package in a bare Debian 12 without the sources, trains on the corpus it ships, reads a manual page,
# completes a command, and removes the package without a trace: .ci/package.sh build-package/attend_*.deb
# Needs root, debootstrap and a mirror (Debian's, or $MIRROR).
set -euo pipefail

fail() {
  echo "package.sh: $*" >&2
  exit 1
}

[[ $# == 1 && -f $1 ]] || fail "expected a package: .ci/package.sh build-package/attend_*.deb"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
root=$(mktemp -d /tmp/attend_package.XXXXXX)
chmod 755 "$root"  # programs of other users run in it
finish() {
  umount "$root/proc" "$root/dev/shm" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap finish EXIT

debootstrap --variant=minbase bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log" >&2; fail "debootstrap failed"; }
rm -f "$root.log"
for file in /etc/apt/apt.conf.d/99* /etc/resolv.conf; do
  [[ ! -f $file ]] || cp "$file" "$root$file"
done
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"
cp "$1" "$root/tmp/"
cat >"$root/tmp/check.sh" <<'END'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
export GOMP_SPINCOUNT=10000 # as in quickstart.sh: for busy machines
rm -f /etc/dpkg/dpkg.cfg.d/*docs* # some images leave out manual pages
apt-get update -q
apt-get install -yq --no-install-recommends man-db bash-completion procps
find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \
  -o -path /root \) -prune -o -print | sort >/tmp/before
apt-get install -yq --no-install-recommends /tmp/attend_*.deb
cd /root
attend --version
attend train /usr/share/attend/configs/quickstart.yaml --output model --set training.max_epochs="${EPOCHS:-2}"
head -n 3 /usr/share/attend/data/quickstart/test.en | attend translate --model model
man attend-train | head -n 5 | grep -q 'Train a model from a config'
source /usr/share/bash-completion/bash_completion
_completion_loader attend || true
COMP_WORDS=(attend align --format '') COMP_CWORD=3
_attend
[[ ${COMPREPLY[*]} == "pharaoh jsonl" ]]
mkdir -p /var/lib/attend/models && cp -r model /var/lib/attend/models/en-de
attend serve --models /var/lib/attend/models --dry-run
rm -r /var/lib/attend/models/en-de
apt-get purge -yq attend
apt-get autoremove -yq --purge
find / -xdev \( -path /proc -o -path /tmp -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \
  -o -path /root \) -prune -o -print | sort >/tmp/after
comm -13 /tmp/before /tmp/after | grep attend && exit 1
echo "removed without a trace"
END
env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LANG=C.UTF-8 EPOCHS="${EPOCHS:-}" \
  chroot "$root" bash /tmp/check.sh
echo "package.sh: the package is sound"
