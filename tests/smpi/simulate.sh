#!/usr/bin/env bash
# simulate.sh RANKS PROGRAM [ARGUMENT...]: runs a program of MPI in SMPI, one rank on each host of a cluster. Between two
# hosts are two links, which carry 1 GB/s after 5 us, and no protocol. The program gets the path of a
# dataset, which is removed, as its first argument.
set -euo pipefail
ranks=$1 program=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/cluster.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-$((ranks - 1))" speed="1Gf" bw="1GBps" lat="5us"/>
</platform>
XML
seq -f 'node%.0f' 0 $((ranks - 1)) >"$folder/hosts"
smpirun -np "$ranks" -platform "$folder/cluster.xml" -hostfile "$folder/hosts" -no-privatize \
  --cfg=network/model:CM02 --cfg=network/TCP-gamma:0 --cfg=network/crosstraffic:0 --cfg=network/bandwidth-factor:1 \
  --cfg=network/latency-factor:1 --cfg=smpi/simulate-computation:no --cfg=smpi/barrier:ompi_recursivedoubling --cfg=smpi/allreduce:rdb \
  --cfg=smpi/reduce:binomial --cfg=smpi/bcast:binomial_tree --cfg=smpi/alltoallv:ring --log=root.thresh:error \
  "$program" "$folder/run.idx" "$@"
