#!/usr/bin/env bash
# Shows that the tests find the bugs that others had. Each patch in .ci/faults is
# such a bug; its header says whose, and which test is to catch it. Every patch is
# applied to a clean copy of the tree, has to compile, and has to make that test
# fail; on the copy as it was the test has to pass. Prints a table; exits 1 if a
# fault survives or does not apply.
#
#   .ci/faults.sh                 all of them
#   .ci/faults.sh 01 outbox       those whose names begin so or hold the word
#
# A header names further tests with further caught-by lines, each the package,
# the pattern for go test -run, and flags for the test if it needs any. The first
# that fails counts. FAULT_TIMEOUT is what a test may take (default 90s); with
# FAULT_SHOW=1 what the test said is shown as well.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
limit=${FAULT_TIMEOUT:-90s}
work=$(mktemp -d "${TMPDIR:-/tmp}/faults.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/clean"
git ls-files -z --cached --others --exclude-standard |
	while IFS= read -r -d '' f; do [ -e "$f" ] && printf '%s\0' "$f"; done |
	tar --create --null --no-recursion --files-from=- | tar --extract --directory "$work/clean"

# build <package> <binary>: compiles the tests of the package in $work/tree. All
# copies have the same path, so that the build cache serves them all.
build() { (cd "$work/tree" && go test -c -vet=off -o "$2" "$1") >"$work/out" 2>&1; }

# try <package> <binary> <pattern> [flags]: sets seconds and the word for what
# happened: passed, failed, nothing (no test has run), or broken (it came to no
# verdict of its own, as when its time was up).
try() {
	local package=$1 binary=$2 pattern=$3 began code=0
	shift 3
	began=$(date +%s%N)
	(cd "$work/tree/$package" && "$binary" -test.count=1 -test.failfast -test.v -test.timeout "$limit" \
		-test.run "$pattern" "$@") >"$work/out" 2>&1 || code=$?
	seconds=$(awk -v ns=$(($(date +%s%N) - began)) 'BEGIN { printf "%.2f", ns / 1e9 }')
	if [ $code -ne 0 ] && grep -q -e '--- FAIL' -e '^panic: ' -e '^fatal error: ' "$work/out" &&
		! grep -q '^panic: test timed out' "$work/out"; then
		word=failed
	elif [ $code -ne 0 ]; then
		word=broken
	elif grep -q -e '--- PASS' "$work/out"; then
		word=passed
	else
		word=nothing
	fi
}

copy() { rm -rf "$work/tree" && cp -R "$work/clean" "$work/tree"; }

declare -A sound # what the tests say of the copy as it was
baseline() {
	local key="$*" package=$1 pattern=$2
	shift 2
	[ -n "${sound[$key]:-}" ] && return 0
	local binary="$work/clean-${package//[^a-z]/_}"
	[ -x "$binary" ] || { copy && build "$package" "$binary"; } || { sound[$key]="does not compile"; return; }
	try "$package" "$binary" "$pattern" "$@"
	sound[$key]=$word
}

wanted() {
	local name=$1 w
	shift
	[ $# -eq 0 ] && return 0
	for w; do case $name in "$w"* | *"$w"*) return 0 ;; esac; done
	return 1
}

row() { printf '%-36s | %-72s | %7s | %s\n' "$@"; }

row fault "caught by" seconds verdict
bad=0 n=0
for patch in "$root"/.ci/faults/*.patch; do
	name=$(basename "$patch" .patch)
	wanted "$name" "$@" || continue
	n=$((n + 1)) by="-" took="-" verdict="SURVIVED"
	mapfile -t tests < <(sed -n '/^diff /q; s/^caught-by: *//p' "$patch")
	for line in "${tests[@]}"; do
		read -ra test <<<"$line"
		baseline "${test[@]}"
	done
	copy
	if ! (cd "$work/tree" && GIT_DIR=/dev/null git apply "$patch") 2>"$work/out"; then
		verdict="DOES NOT APPLY"
		tests=()
	elif ! (cd "$work/tree" && go build ./...) >"$work/out" 2>&1; then
		verdict="DOES NOT COMPILE"
		tests=()
	fi
	for line in "${tests[@]}"; do
		read -ra test <<<"$line"
		if [ "${sound[$line]}" != passed ]; then
			verdict="TEST IS UNSOUND: ${sound[$line]} without the fault"
			continue
		fi
		if ! build "${test[0]}" "$work/test"; then
			verdict="DOES NOT COMPILE"
			break
		fi
		try "${test[0]}" "$work/test" "${test[@]:1}"
		if [ "$word" = failed ]; then
			by="${test[0]#./} ${test[1]}" took=$seconds verdict=caught
			break
		fi
		verdict="SURVIVED (${test[1]} $word)"
	done
	row "$name" "$by" "$took" "$verdict"
	if [ -n "${FAULT_SHOW:-}" ] && [ "$verdict" = caught ]; then
		grep -v '^ *=== ' "$work/out" | head -n 6 | cut -c1-200 | sed 's/^/    /'
	fi
	if [ "$verdict" != caught ]; then
		bad=$((bad + 1))
		tail -n 15 "$work/out" | sed 's/^/    /'
	fi
done
echo "$((n - bad)) of $n caught"
[ "$bad" -eq 0 ] && [ "$n" -gt 0 ]
