#!/bin/sh
# A tour on the repository's real samples; run it in the repository's folder after installing into .venv.

samples=tests/samples
bridgespec=${BRIDGESPEC:-.venv/bin/bridgespec}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

bold= plain=
[ -t 1 ] && bold=$(printf '\033[1m') && plain=$(printf '\033[0m')

step() { printf '\n%s$ bridgespec %s%s\n' "$bold" "$*" "$plain"; "$bridgespec" "$@"; }

step validate $samples/dup/melbourne.dup $samples/dup/sixteen.dup $samples/bri/sixteen.bri $samples/dge/sixteen.dge \
    $samples/bre/melbourne.bre $samples/zrd/record0.zrd $samples/zbs/layouts.zbs $samples/rzd/sixteen.rzd
step convert $samples/dup/sixteen.dup "$out/sixteen.zbd"
step convert $samples/zrd/record0.zrd "$out/south.zrj" --declarer S
step show $samples/zrd/record0.zrd
step dump $samples/zrd/record0.zrd
step validate $samples/dup/bad/halves.dup
printf '\nThe last file is broken on purpose. Next: bridgespec --help, bridgespec formats, bridgespec solve --help\n'
