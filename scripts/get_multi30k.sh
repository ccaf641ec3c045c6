#!/usr/bin/env bash
# Puts Multi30k task 1, English-German, into data/multi30k: the raw text, and the data set's own lower-cased, normalised,
# tokenised text (*.lc.norm.tok.*), both uncompressed.
#   scripts/get_multi30k.sh                 downloads from github.com/multi30k/dataset
#   scripts/get_multi30k.sh --from FOLDER   copies FOLDER/<file> or FOLDER/<file>.gz instead; may be repeated
#   scripts/get_multi30k.sh --task2 [--from FOLDER]
# also makes train-task2.{en,de} and train-task2.lc.norm.tok.{en,de}, monolingual text: the five captions that task 2
# (Elliott et al. 2016) has for every training image, without duplicates and without captions that equal a line of task 1
# in either form (which removes the dev and test sentences). Prints how many were removed and why.
# Every file is checked against its checksum below. Correct files are kept, so an interrupted run can be repeated.
set -euo pipefail
script_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$script_folder/../data/multi30k
site=https://raw.githubusercontent.com/multi30k/dataset
# Published figures use the original text. The repository later changed some lines of the English training text, so the
# commits that added these files are tried before its main branch.
declare -A commits=(
  [task1/raw]=c9be912dc05a3ebf9ae5bb5f7f58c1791cda43ab [task1/tok]=7bee46bc74186b4b6254603143610f730d40bf66
  [task2/raw]=4cf9201f718b05e433e073b69636ef8bf236cf21 [task2/tok]=6347caf0b90489f57dfaa49de6aa0b56f78005ee
)
held_out=(val test_2016_flickr test_2017_flickr test_2017_mscoco)

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
43051fdfa86fd5395182e718a94ca67b1b227b9f7c79596ff0f6b813216981d2  test_2017_mscoco.en
58277df3c75f92f7145a11b910b553d1cf82c439249d4dc237c899609eafac22  test_2017_mscoco.de
fe69ae004d71c42ead0301e70c57de5b1b6b5fb7f52210d42b22801e98e656f3  test_2017_mscoco.lc.norm.tok.en
e2825990b8a4e5289d2cdba801d57c187810bab9b4f5d87a30c35800a0d871b6  test_2017_mscoco.lc.norm.tok.de
SUMS
}
task2_checksums() {
  cat <<'SUMS'
636e949e8a5ae49bf4643e5566cd5400359328003937db2840d0910d85a820d8  train.1.en
8372eef31ce1e3752305606ebea5c85184b693f8a97b242a5fa69846657c10c1  train.1.de
18088d31a798cae6c90ae89bedd0c0e60601f9411438f38103036f830b3f9f72  train.2.en
94fd5a5e3be50f056eccf54612dbc129a2b387c185e7008a539f046fa4c17a30  train.2.de
03b7594e8a2145e2178d07342b776d006a8722aca298b415c4cb465afe217ed4  train.3.en
b73442caefe91d691493fb005cd4a9ebf8e42b35f7cd2e0e6a41938a75637df6  train.3.de
6fc0e7b4b6b59e8e19af79b44fe28dd21f0258a58db290e34e96020df44e0f59  train.4.en
cf016e3de76e074a639c4f904748c96268467b36c5085e8d54b3720cb8366319  train.4.de
4ad11df3e1a83e3785d8bab96b68668875ff7f6146744c28bf6766240e7fe9f5  train.5.en
0d3645d0a8cec8150fa63d3e5879fb78eb21be1ea92bdb4094be556bfdab51f5  train.5.de
4ad9fa3db9d3b34475179022ce29db057e6a790d5102a6d4dfbc5d2e8b5e0ad4  train.lc.norm.tok.1.en
72d855815551e9793ee557715472debb744065a7731a2da316e809d68c856685  train.lc.norm.tok.1.de
702800c9ab3c9bbc261b8756f569123781eb8ebdca569894b2ed439bc4847b3a  train.lc.norm.tok.2.en
8dfc5b92294a804d766499940f50731134223f7feaf3c2189b539650391460fb  train.lc.norm.tok.2.de
5ad5423f866b515911a3c5830e4dde329a1e56dc6398f8cdab473cdd892ca0d4  train.lc.norm.tok.3.en
65c59b52ce0bf0d54e299f60be7f6ae5e5c070763a17027875e99a04e5af5095  train.lc.norm.tok.3.de
8b22cf016446518bbb29120cd15b0a64050be81e9fa897097544dc9ea961b874  train.lc.norm.tok.4.en
6e46023ccf8a203be288dfc5e1880d4c4de1f0f5418349df2e9f8603650d2953  train.lc.norm.tok.4.de
d10da9a89b78a2eca8911365b6637a949a9c4377ea7d4b6f9bf50830c0383a32  train.lc.norm.tok.5.en
4f7dab9da6396c64268ae6559dfaa298553b19e390c86eb0fba306120e27a719  train.lc.norm.tok.5.de
SUMS
}

fail() {
  echo "get_multi30k.sh: $*" >&2
  exit 1
}

usage() {
  sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

sum_of() { sha256sum "$1" | cut -d' ' -f1; }

download() {
  curl --fail --silent --show-error --location --retry 3 --connect-timeout 20 --output "$2" "$1"
}

# copy_from NAME OUTPUT: copies the file, plain or gzip, from the first --from folder that has it.
copy_from() {
  local name=$1 output=$2 folder
  for folder in "${folders[@]}"; do
    if [[ -f $folder/$name ]]; then
      cp "$folder/$name" "$output"
      return
    elif [[ -f $folder/$name.gz ]]; then
      gzip -dc "$folder/$name.gz" >"$output" || fail "$folder/$name.gz is not a complete gzip file"
      return
    fi
  done
  fail "neither $name nor $name.gz is in ${folders[*]}"
}

# download_from COMMIT PART NAME OUTPUT
download_from() {
  local commit=$1 part=$2 name=$3 output=$4
  if [[ $part == */tok ]]; then
    download "$site/$commit/data/$part/$name" "$output"
  else
    download "$site/$commit/data/$part/$name.gz" "$output.gz" && gzip -dc "$output.gz" >"$output"
  fi
}

# download_file TASK NAME SUM OUTPUT
download_file() {
  local task=$1 name=$2 sum=$3 output=$4 commit part=$1/raw
  [[ $name != *.lc.norm.tok.* ]] || part=$task/tok
  for commit in "${commits[$part]}" master; do
    download_from "$commit" "$part" "$name" "$output" && [[ $(sum_of "$output") == "$sum" ]] && return
  done
  [[ -f $output ]] || fail "cannot download $name: is the network up? (or use --from FOLDER)"
}

# get_file TASK NAME SUM FOLDER
get_file() {
  local task=$1 name=$2 sum=$3 place=$4/$2
  if [[ -f $place && $(sum_of "$place") == "$sum" ]]; then
    return
  fi
  if [[ ${#folders[@]} -gt 0 ]]; then
    copy_from "$name" "$work/$name"
  else
    download_file "$task" "$name" "$sum" "$work/$name"
  fi
  [[ $(sum_of "$work/$name") == "$sum" ]] ||
    fail "$name: sha256 is $(sum_of "$work/$name"), expected $sum; the file is damaged or from another version of the data set"
  mv "$work/$name" "$place"
}

# both_forms TEXT LANGUAGE: a text of task 1, raw and tokenised. captions LANGUAGE: task 2 as lines "raw\001tokenised".
both_forms() { cat "$target/$1.$2" "$target/$1.lc.norm.tok.$2"; }
captions() {
  local i
  for i in 1 2 3 4 5; do
    paste -d $'\001' "$target/task2/train.$i.$1" "$target/task2/train.lc.norm.tok.$i.$1"
  done
}

# keep_new LANGUAGE: writes the captions of task 2 that are not in task 1.
keep_new() {
  local language=$1 text arguments=()
  for text in "${held_out[@]}" train; do
    both_forms "$text" "$language" >"$work/$text"
    arguments+=(text="$text" "$work/$text")
  done
  captions "$language" >"$work/captions"
  : >"$work/raw" && : >"$work/tok"
  LC_ALL=C awk -F $'\001' -v language="$language" -v texts="${held_out[*]} train" -v raw="$work/raw" \
    -v tokenised="$work/tok" '
    text != "captions" { if (!($0 in origin)) origin[$0] = text; next }
    $1 in origin { left_out[origin[$1]]++; next }
    $2 in origin { left_out[origin[$2]]++; next }
    $2 == "" || $2 in seen { repeated++; next }
    { seen[$2]; kept++; print $1 >raw; print $2 >tokenised }
    END {
      printf "get_multi30k.sh: task 2, %s: %d captions", language, FNR
      for (i = 1; i <= split(texts, name, " "); i++) printf ", %d equal to a line of %s", left_out[name[i]], name[i]
      printf ", %d empty or repeated; %d kept\n", repeated, kept
    }' "${arguments[@]}" text=captions "$work/captions" >&2
  mv "$work/raw" "$target/train-task2.$language"
  mv "$work/tok" "$target/train-task2.lc.norm.tok.$language"
}

folders=() task2=""
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --task2) task2=yes; shift ;;
    --from)
      [[ $# -ge 2 ]] || fail "--from needs a folder"
      [[ -d $2 ]] || fail "--from: $2 is not a folder"
      folders+=("$2"); shift 2
      ;;
    *) fail "unknown argument $1; usage: get_multi30k.sh [--task2] [--from FOLDER]" ;;
  esac
done
if [[ ${#folders[@]} == 0 ]] && ! command -v curl >/dev/null; then
  "$script_folder/install_packages.sh" curl ca-certificates
fi

mkdir -p "$target"
work=$(mktemp -d "$target/.incoming.XXXXXX")    # same file system, so that mv is atomic
trap 'rm -rf "$work"' EXIT
while read -r sum name; do
  get_file task1 "$name" "$sum" "$target"
done < <(checksums)
echo "get_multi30k.sh: $(checksums | wc -l) files in $(cd "$target" && pwd)" >&2
[[ -n $task2 ]] || exit 0
mkdir -p "$target/task2"
while read -r sum name; do
  get_file task2 "$name" "$sum" "$target/task2"
done < <(task2_checksums)
for language in en de; do keep_new "$language"; done
