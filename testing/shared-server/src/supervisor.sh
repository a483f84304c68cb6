# Runs a server until no process has used it for a while.
# Arguments: the server's folder, the seconds without a user, the server's command.
# Standard input: the file that each user locks. Standard output: the file that is locked while the
# server runs.
folder=$1 patience=$2
shift 2
trap exit TERM INT HUP
# If this process is killed, the kernel interrupts the server.
setpriv --pdeathsig INT -- "$@" </dev/null >&2 &
server=$!
trap 'kill -INT "$server" 2>/dev/null; wait "$server"; rm -rf "$folder"' EXIT
idle=0
while kill -0 "$server" 2>/dev/null; do
    if flock --nonblock --exclusive 0; then
        # Still locked: a user that comes now waits for the end and starts another server.
        [ "$idle" -ge "$patience" ] && exit
        flock --unlock 0
        idle=$((idle + 1))
    else
        idle=0
    fi
    sleep 1
done
