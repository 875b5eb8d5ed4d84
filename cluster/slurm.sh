#!/bin/bash
# A run on the nodes of a Slurm job, which is queued again when its time is over and then goes on. The project lies in a
# folder that all nodes see; type there, after scripts/setup and the two commands for a token (cluster/cluster.yaml, 2):
#
#   sbatch cluster/slurm.sh --game amazons.ext.kif --config deep
#
#SBATCH --job-name=gdl-miner
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --signal=B:USR1@180
#SBATCH --requeue
#SBATCH --open-mode=append
set -euo pipefail
cd "$SLURM_SUBMIT_DIR"
export PATH=$PWD/.venv/bin:$PATH RAY_AUTH_MODE=token RAY_USAGE_STATS_ENABLED=0
export RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT=300 # seconds for nodes to start Ray
export RAY_TMPDIR=/tmp/gdl-miner-$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0} # Ray's own folders are open to everybody
run=results/slurm-$SLURM_JOB_ID
# sed reads all names: a pipe that is closed early would end the job.
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed -n 1p)
address=$(getent ahostsv4 "$head" | awk 'NR == 1 {print $1}'):$((20000 + SLURM_JOB_ID % 10000))

srun mkdir -m 700 "$RAY_TMPDIR"
trap 'srun rm -rf "$RAY_TMPDIR"' EXIT
# Starts Ray on all nodes, runs the miner on the first, and stops Ray on all.
srun --kill-on-bad-exit=1 ray symmetric-run --address "$address" --min-nodes "$SLURM_JOB_NUM_NODES" \
  --num-cpus "$SLURM_CPUS_PER_TASK" -- miner evolve "$@" --out "$run" --or-resume --address "$address" &
step=$!
trap 'kill -TERM $step; wait $step || true; scontrol requeue "$SLURM_JOB_ID"' USR1 # TERM is for a job that is cancelled
wait $step
