# Runs a command while packages start no service and create no PostgreSQL cluster, and then undoes that:
#
#     sh without_services.sh ROOT SERVICES COMMAND…
#
# ROOT is the folder of the system, empty for `/`. SERVICES are units that a package enables for the next
# boot; those that were not there before are disabled.
set -eu
root=$1
services=$2
shift 2

# invoke-rc.d and deb-systemd-invoke ask this program; 101 forbids each action.
policy=$root/usr/sbin/policy-rc.d
# postgresql-common reads this folder before it creates the cluster `main`, which would start at each boot.
clusters=$root/etc/postgresql-common/createcluster.d
cluster=$clusters/zz-wavetune-setup.conf
kept=
made=$clusters
while [ ! -d "$(dirname "$made")" ]; do made=$(dirname "$made"); done
[ ! -d "$clusters" ] || made=

undo() {
    rm -f "$policy" "$cluster"
    [ -z "$kept" ] || mv "$kept" "$policy"
    # A package may have put files of its own into these folders.
    folder=$clusters
    while [ -n "$made" ] && rmdir "$folder" 2>/dev/null && [ "$folder" != "$made" ]; do
        folder=$(dirname "$folder")
    done
    for service in $new; do
        systemctl disable --quiet "$service" 2>/dev/null || true
    done
}

new=
for service in $services; do
    [ -n "$root" ] || [ -e "/lib/systemd/system/$service" ] || new="$new $service"
done
trap 'exit 143' HUP INT TERM
trap undo EXIT
if [ -e "$policy" ]; then
    mv "$policy" "$policy.wavetune-setup"
    kept=$policy.wavetune-setup
fi
mkdir -p "$(dirname "$policy")" "$clusters"
printf '#!/bin/sh\nexit 101\n' > "$policy"
chmod 755 "$policy"
echo 'create_main_cluster = false' > "$cluster"
"$@"
