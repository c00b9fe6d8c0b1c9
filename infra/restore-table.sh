#!/bin/sh
# Brings a table back from its backups. See "Backup and restore" in infra/OPERATIONS.md.
#
#   infra/restore-table.sh copy TABLE TIME         makes a new table as TABLE was at TIME (RFC 3339), and prints its name
#   infra/restore-table.sh replace TABLE RESTORED  puts RESTORED in the place of TABLE, under TABLE's name. The service has no
#                                                  such table meanwhile. TABLE's last state stays as a backup for 35 days.
#   infra/restore-table.sh settle TABLE ATTRIBUTE  gives a table that was restored otherwise its expiry (None: it has none) and
#                                                  its backups, which no restore brings back
#
# A table that is protected from deletion is replaced by one that is protected too.
set -eu

fail() {
    echo "Error: $*" >&2
    exit 1
}

wait_until_active() {
    until [ "$(aws dynamodb describe-table --table-name "$1" --query Table.TableStatus --output text)" = ACTIVE ]; do
        sleep "${POLL_SECONDS:-10}"
    done
}

wait_for_backup() {
    until [ "$(aws dynamodb describe-backup --backup-arn "$1" \
        --query BackupDescription.BackupDetails.BackupStatus --output text)" = AVAILABLE ]; do
        sleep "${POLL_SECONDS:-10}"
    done
}

# The attribute by which a table's items expire, or None.
expiry_of() {
    aws dynamodb describe-time-to-live --table-name "$1" --query TimeToLiveDescription.AttributeName --output text
}

# True or False: whether a table is protected against deletion.
protection_of() {
    aws dynamodb describe-table --table-name "$1" --query Table.DeletionProtectionEnabled --output text
}

# A restore keeps neither the expiry of items nor the backups. $1: table, $2: attribute.
settle() {
    wait_until_active "$1"
    [ "$2" = None ] || aws dynamodb update-time-to-live --table-name "$1" \
        --time-to-live-specification "Enabled=true,AttributeName=$2" >/dev/null
    aws dynamodb update-continuous-backups --table-name "$1" \
        --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true >/dev/null
}

copy() {
    target=$1-restored-$(date -u +%Y%m%d%H%M%S)
    aws dynamodb restore-table-to-point-in-time --source-table-name "$1" --target-table-name "$target" \
        --restore-date-time "$2" >/dev/null
    settle "$target" "$(expiry_of "$1")"
    echo "$target"
}

replace() {
    expiry=$(expiry_of "$2")
    protected=$(protection_of "$1")
    backup=$(aws dynamodb create-backup --table-name "$2" --backup-name "docmill-$(date -u +%Y%m%d%H%M%S)" \
        --query BackupDetails.BackupArn --output text)
    wait_for_backup "$backup"
    [ "$protected" != True ] || {
        aws dynamodb update-table --table-name "$1" --no-deletion-protection-enabled >/dev/null
        wait_until_active "$1"
    }
    aws dynamodb delete-table --table-name "$1" >/dev/null
    aws dynamodb wait table-not-exists --table-name "$1"
    aws dynamodb restore-table-from-backup --backup-arn "$backup" --target-table-name "$1" >/dev/null
    settle "$1" "$expiry"
    [ "$protected" != True ] || aws dynamodb update-table --table-name "$1" --deletion-protection-enabled >/dev/null
    echo "$1"
}

usage="usage: infra/restore-table.sh copy TABLE TIME | replace TABLE RESTORED | settle TABLE ATTRIBUTE"
[ $# = 3 ] || fail "$usage"
case $1 in
    copy | replace | settle) "$1" "$2" "$3" ;;
    *) fail "$usage" ;;
esac
