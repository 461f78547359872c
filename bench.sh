#!/usr/bin/env bash
# Builds Rokade, searches its fixed bench positions, and prints the number of nodes and the speed.
set -euo pipefail

record=tests/data/bench.txt

usage() {
    cat <<'END'
usage: ./bench.sh [--check | --record | --help]

Builds with `cargo build --release --locked`, runs `rokade bench` and prints
    Bench: <nodes>
    NPS: <nodes per second>

The number of nodes is the signature of the engine's behaviour: it is the same on
every machine and in every build, and changes exactly when a change alters the search.

  --check   also compare the nodes with tests/data/bench.txt; fail if they differ
  --record  also write the nodes to tests/data/bench.txt
  --help    show this text
END
}

mode=${1:-run}
case $mode in
    run | --check | --record) ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }

cd "$(dirname "${BASH_SOURCE[0]}")"
cargo build --release --locked
output=$(cargo run --release --locked --quiet -- bench)

# The last line reads `<nodes> nodes <nps> nps`.
last=${output##*$'\n'}
if ! [[ $last =~ ^([0-9]+)\ nodes\ ([0-9]+)\ nps$ ]]; then
    echo "bench.sh: the last line of the bench is '$last', not '<nodes> nodes <nps> nps'" >&2
    exit 1
fi
nodes=${BASH_REMATCH[1]}
echo "Bench: $nodes"
echo "NPS: ${BASH_REMATCH[2]}"

case $mode in
    --check)
        recorded=$(cat "$record")
        if [ "$nodes" != "$recorded" ]; then
            echo "bench.sh: the bench counts $nodes nodes, but $record says $recorded" >&2
            exit 1
        fi
        echo "bench.sh: as recorded"
        ;;
    --record)
        echo "$nodes" > "$record"
        ;;
esac
