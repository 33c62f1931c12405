#!/bin/sh
# Judges the upgrade from the release in use to the newest of the package index, and keeps one issue with the answer.
#
#   examples/newer_release/judge.sh 4.4.0 gh            (or deltalake==1.5.1; glab on GitLab)
#
# Without a newer release it does nothing. Exit 0: there is none, or the issue has the answer; else the code of what failed.
set -eu
in_use=$1 forge=$2
case $in_use in
    *==*) newest="${in_use%%==*}==newest" ;;
    *) newest=newest ;;
esac
out=build/newest title="Upgrade from $in_use to the newest release"
mkdir -p "$out"
said=$(mktemp) body=$(mktemp)
trap 'rm -f "$said" "$body"' EXIT

code=0
python -m tombstone upgrade "$in_use" "$newest" --out "$out" --profile "${PROFILE:-gate}" >"$said" 2>&1 || code=$?
cat "$said"
if grep -q "there is nothing to upgrade to" "$said"; then
    exit 0
fi
if [ "$code" -ne 2 ]; then
    head -c 60000 "$out/comparison.md" >"$body"  # an issue has no more than 65,536 characters
else
    { echo "It could not be judged:"; echo; tail -n 5 "$said" | sed 's/^/    /'; } >"$body"
fi

case $forge in
    gh)
        number=$(gh issue list --state open --search "in:title \"$title\"" --json number --jq '.[0].number // empty')
        if [ -n "$number" ]; then
            gh issue edit "$number" --body-file "$body"
        else
            gh issue create --title "$title" --body-file "$body"
        fi
        ;;
    glab)
        number=$(glab issue list --search "$title" --in title --output json | python -c 'import json, sys; print(*[one["iid"] for one in json.load(sys.stdin)][:1])')
        if [ -n "$number" ]; then
            glab issue update "$number" --description "$(cat "$body")"
        else
            glab issue create --title "$title" --description "$(cat "$body")" --yes
        fi
        ;;
    *)
        echo "Name gh or glab, not $forge." >&2
        exit 2
        ;;
esac
