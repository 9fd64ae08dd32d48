#!/bin/sh
# Makes a set of solved deals, free of any rights: random deals, their double-dummy tables, as typed Parquet, with checksums.
#   sh solved-deals.sh [COUNT]       100,000 unless given: some hours of all cores
# Interrupted, the same command goes on where it was stopped: `solve` keeps a journal of what it has solved.
# The sums are of the deals (ZBD) and of the deals with their tables (ZRD), whatever wrote the Parquet file; they are in docs/tables.md.
set -eu
count=${1:-100000}
[ -e "deals-$count.zbd" ] || bridgespec deal -n "$count" --seed 2026 -q -o "deals-$count.zbd"
bridgespec solve "deals-$count.zbd" -q -o "solved-$count.parquet"
bridgespec convert "solved-$count.parquet" "solved-$count.zrd"
sha256sum "deals-$count.zbd" "solved-$count.zrd"
