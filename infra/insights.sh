#!/bin/sh
# Runs a Logs Insights query on the logs of a deployed stack, and prints each result as a line of name=value pairs.
#
#   infra/insights.sh STACK MINUTES 'QUERY' [FUNCTION …]     for example infra/insights.sh docmill 60 "$query" sweeper
#
# Without functions, it reads all of the stack's log groups.
set -eu
[ $# -ge 3 ] || { echo "usage: infra/insights.sh STACK MINUTES 'QUERY' [FUNCTION …]" >&2; exit 2; }
stack=$1 minutes=$2 query=$3
shift 3

if [ $# -gt 0 ]; then
    groups=$(printf "/docmill/$stack/%s " "$@")
else
    groups=$(aws logs describe-log-groups --log-group-name-prefix "/docmill/$stack/" \
        --query 'logGroups[].logGroupName' --output text)
fi
now=$(date +%s)
# shellcheck disable=SC2086 # A list of names without blanks.
id=$(aws logs start-query --log-group-names $groups --start-time $((now - minutes * 60)) --end-time "$now" \
    --query-string "$query" --query queryId --output text)
while :; do
    status=$(aws logs get-query-results --query-id "$id" --query status --output text)
    case $status in
        Scheduled | Running) sleep 1 ;;
        Complete) break ;;
        *) echo "The query ended as $status." >&2; exit 1 ;;
    esac
done
aws logs get-query-results --query-id "$id" --output json \
    | jq -r '.results[] | map(select(.field != "@ptr") | "\(.field)=\(.value)") | join(" ")'
