#!/bin/sh
# Prints the outputs of a deployed stack as the environment variables that the functions and docmill-admin read:
# KeysTable becomes KEYS_TABLE. Usage: infra/stack-env.sh STACK
set -eu
aws cloudformation describe-stacks --stack-name "${1:?usage: infra/stack-env.sh STACK}" \
    --query 'Stacks[0].Outputs[].[OutputKey, OutputValue]' --output text \
    | while read -r name value; do
        printf '%s=%s\n' "$(printf '%s' "$name" | sed 's/\([a-z]\)\([A-Z]\)/\1_\2/g' | tr '[:lower:]' '[:upper:]')" "'$value'"
    done
