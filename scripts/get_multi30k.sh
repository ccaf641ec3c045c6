#!/usr/bin/env bash
# Puts Multi30k task 1, English-German, into data/multi30k: raw text and the data set's own lower-cased, normalised,
# tokenised text (*.lc.norm.tok.*), uncompressed.
#   scripts/get_multi30k.sh                 downloads from github.com/multi30k/dataset
#   scripts/get_multi30k.sh --from FOLDER   takes FOLDER/<file> or FOLDER/<file>.gz instead
# Every file is checked against its sum below. Files that are there and right are left alone, so that a broken run can
# be repeated.
set -euo pipefail
script_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$script_folder/../data/multi30k
site=https://raw.githubusercontent.com/multi30k/dataset
# The text that the published figures are on. The repository later changed some lines of the English training text, so
# the commits that brought these files come before its main branch.
raw_commit=c9be912dc05a3ebf9ae5bb5f7f58c1791cda43ab
tokenised_commit=7bee46bc74186b4b6254603143610f730d40bf66

# sha256 of the uncompressed text
checksums() {
  cat <<'SUMS'
460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6  train.en
2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72  train.de
08925f8e0572bcd5a006702fc5fe20e2d77c6917d4eebd576fc20de6693c2119  train.lc.norm.tok.en
cb5a23529b65ec2061f1dc446192a9c37382b63cc75f81a0be59d34894b3a505  train.lc.norm.tok.de
1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227  val.en
660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660  val.de
46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec  val.lc.norm.tok.en
97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00  val.lc.norm.tok.de
399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182  test_2016_flickr.en
4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16  test_2016_flickr.de
5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2  test_2016_flickr.lc.norm.tok.en
c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4  test_2016_flickr.lc.norm.tok.de
ce1450ddc5ab0834502579d77a170849952e15a2938b34cc503bdc25ebb4fb98  test_2017_flickr.en
c3078bc3b36808bf9d20eb2347ed6137016179ef59ec0d2b9b8ecc3fb2880081  test_2017_flickr.de
c9d1dfd7a26add989382e534af235af9f0f658b2a30e7eb0efdaf142496ee54f  test_2017_flickr.lc.norm.tok.en
02067e4a9402786a4fcb8c1b6f4307e4a5073ced64800abead5273b54f5f31f6  test_2017_flickr.lc.norm.tok.de
SUMS
}

fail() {
  echo "get_multi30k.sh: $*" >&2
  exit 1
}

usage() {
  sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

sum_of() { sha256sum "$1" | cut -d' ' -f1; }

download() {
  curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --output "$2" "$1"
}

# copy_from NAME OUTPUT: the file from the user's folder, plain or gzip
copy_from() {
  local name=$1 output=$2
  if [[ -f $folder/$name ]]; then
    cp "$folder/$name" "$output"
  elif [[ -f $folder/$name.gz ]]; then
    gzip -dc "$folder/$name.gz" >"$output" || fail "$folder/$name.gz is not a whole gzip file"
  else
    fail "$folder has neither $name nor $name.gz"
  fi
}

# download_from COMMIT NAME OUTPUT
download_from() {
  local commit=$1 name=$2 output=$3
  if [[ $name == *.lc.norm.tok.* ]]; then
    download "$site/$commit/data/task1/tok/$name" "$output"
  else
    download "$site/$commit/data/task1/raw/$name.gz" "$output.gz" && gzip -dc "$output.gz" >"$output"
  fi
}

# download_file NAME SUM OUTPUT
download_file() {
  local name=$1 sum=$2 output=$3 commit first=$raw_commit
  [[ $name != *.lc.norm.tok.* ]] || first=$tokenised_commit
  for commit in "$first" master; do
    download_from "$commit" "$name" "$output" && [[ $(sum_of "$output") == "$sum" ]] && return
  done
  [[ -f $output ]] || fail "cannot download $name: is the network up? (or use --from FOLDER)"
}

get_file() {
  local sum=$1 name=$2
  if [[ -f $target/$name && $(sum_of "$target/$name") == "$sum" ]]; then
    return
  fi
  if [[ -n $folder ]]; then
    copy_from "$name" "$work/$name"
  else
    download_file "$name" "$sum" "$work/$name"
  fi
  [[ $(sum_of "$work/$name") == "$sum" ]] ||
    fail "$name: sha256 is $(sum_of "$work/$name"), expected $sum: another version of the data set or a broken file"
  mv "$work/$name" "$target/$name"
}

folder=""
case ${1:-} in
  "") ;;
  -h | --help) usage; exit 0 ;;
  --from)
    [[ $# == 2 ]] || fail "--from needs one folder"
    [[ -d $2 ]] || fail "--from: $2 is not a folder"
    folder=$2
    ;;
  *) fail "unknown argument $1; usage: get_multi30k.sh [--from FOLDER]" ;;
esac
if [[ -z $folder ]] && ! command -v curl >/dev/null; then
  "$script_folder/install_packages.sh" curl ca-certificates
fi

mkdir -p "$target"
work=$(mktemp -d "$target/.incoming.XXXXXX")    # same file system, so that mv is atomic
trap 'rm -rf "$work"' EXIT
while read -r sum name; do
  get_file "$sum" "$name"
done < <(checksums)
echo "get_multi30k.sh: $(checksums | wc -l) files in $(cd "$target" && pwd)" >&2
