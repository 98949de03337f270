#!/bin/bash
# Starts a one-node Slurm on loopback, runs the job array of sweep.sbatch with one index killed and
# submitted again, one requeued, and one signalled as before its time limit; merges, and compares with one
# local run, byte for byte.
# Needs Go and Slurm (Debian: apt-get install slurm-wlm munge); no root, nothing outside a temporary folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for tool in munged slurmctld slurmd sbatch squeue scontrol scancel sinfo; do
	if ! PATH=$PATH:/usr/sbin command -v $tool >/dev/null; then
		echo "skip	cluster/slurm: no $tool here (Debian: apt-get install slurm-wlm munge)"
		exit 0
	fi
done
export PATH=$PATH:/usr/sbin

base=$(mktemp -d "${TMPDIR:-/tmp}/jsq-slurm.XXXXXX")
pids=()
stop() {
	for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
	for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
	rm -rf "$base"
}
trap stop EXIT
fail() {
	echo "FAIL	cluster/slurm: $1" >&2
	tail -n 5 "$base"/log/* >&2 || true
	exit 1
}
# within SECONDS WHAT COMMAND...: until the command succeeds
within() {
	local end=$((SECONDS + $1)) what=$2
	shift 2
	until "$@"; do
		[ $SECONDS -lt $end ] || fail "no $what in time"
		sleep 0.2
	done
}

chmod 0755 "$base"
mkdir -m 0755 "$base"/{etc,run,log,state,spool}
(cd "$here/../.." && go build -buildvcs=false -o "$base/jsq" ./cmd/jsq)
grid=(--model ct --servers 8,16,24,32 --alpha 1.5,2,2.5,3,3.5,4 --rel-error 0.006 --seed 11)

(umask 077 && head -c 128 /dev/urandom >"$base/etc/munge.key" && chmod 0400 "$base/etc/munge.key")
munged -F --key-file="$base/etc/munge.key" --socket="$base/run/munge.sock" --pid-file="$base/run/munged.pid" \
	--log-file="$base/log/munged.log" --seed-file="$base/run/munged.seed" >"$base/log/munged.out" 2>&1 &
pids+=($!)
within 20 "munge socket" test -S "$base/run/munge.sock"

port=$((20000 + RANDOM % 20000))
user=$(id -un)
cat >"$base/etc/slurm.conf" <<END
ClusterName=jsq
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SrunPortRange=$((port + 10))-$((port + 60))
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$base/run/munge.sock,cred_expire=5
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool
SlurmctldPidFile=$base/run/slurmctld.pid
SlurmdPidFile=$base/run/slurmd.pid
SlurmctldLogFile=$base/log/slurmctld.log
SlurmdLogFile=$base/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MinJobAge=3600
KillWait=5
JobRequeue=1
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
NodeName=localhost NodeAddr=127.0.0.1 CPUs=12 RealMemory=16384 State=UNKNOWN
PartitionName=main Nodes=localhost Default=YES State=UP
END
export SLURM_CONF=$base/etc/slurm.conf
slurmctld -D >"$base/log/slurmctld.out" 2>&1 &
pids+=($!)
slurmd -D -N localhost >"$base/log/slurmd.out" 2>&1 &
pids+=($!)
idle() { [ "$(sinfo -h -N -o %T 2>/dev/null)" = idle ]; }
within 60 "idle node" idle

submit() {
	JSQ=$base/jsq sbatch --parsable --chdir="$base" --output="$base/log/%A-%a.log" "$@" "$here/sweep.sbatch" "${grid[@]}" --out "$base/out"
}
state() { squeue -h -r -t all -j "$1" -o %T 2>/dev/null; }
# works INDEX: its program runs (and not: this grep)
works() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -q -- "--out $base/out [-]-shard $1/12 "; }
restarted() { scontrol -o show job "${job}_$1" | grep -q 'Restarts=[1-9]'; }
ended() { [ -z "$(squeue -h -r -j "$1" -o %i)" ]; }

job=$(submit)
within 60 "running index 3" works 3
scancel --full --signal=KILL "${job}_3"
within 60 "running index 5" works 5
scontrol requeue "${job}_5"
within 60 "running index 7" works 7
scancel --batch --signal=USR1 "${job}_7"
within 300 "end of the array" ended "$job"

squeue -h -r -t all -j "$job" -o '%K %T' | sort -n >"$base/states"
failed=$(awk '$2 != "COMPLETED" { print $1 }' "$base/states" | paste -sd, -)
[ "$failed" = 3 ] || fail "indices $failed did not complete, want 3 only: $(paste -sd' ' "$base/states")"
for index in 5 7; do restarted $index || fail "index $index was not requeued"; done
if "$base/jsq" merge --in "$base/out" --out "$base/early.csv" 2>"$base/early"; then fail "a sweep without index 3 has a table"; fi
grep -q 'have no result' "$base/early" || fail "merge of a sweep without index 3 says: $(cat "$base/early")"
[ ! -e "$base/early.csv" ] || fail "an incomplete table was written"

again=$(submit --array="$failed")
within 300 "end of index $failed" ended "$again"
[ "$(state "$again")" = COMPLETED ] || fail "index $failed did not complete the second time"
"$base/jsq" merge --in "$base/out" --out "$base/cluster.csv" >/dev/null

"$base/jsq" sweep "${grid[@]}" --out "$base/local" >/dev/null
"$base/jsq" merge --in "$base/local" --out "$base/local.csv" >/dev/null
cmp "$base/cluster.csv" "$base/local.csv" || fail "the table differs from that of one local run"
diff -r "$base/out" "$base/local" || fail "files differ from those of one local run"
echo "ok  	cluster/slurm	$(($(wc -l <"$base/local.csv") - 1)) tasks in 12 indices, one killed and submitted again, two requeued: the bits of one local run"
