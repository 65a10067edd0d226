#!/bin/bash
# windlass: builtin
#
# A request names this script as `script_path`. Its second line tells Windlass to do the work by its own actions
# (prepare node, container runtime, kubeadm, network add-on, join) instead of running a packaged script: they can be
# resumed, checked step by step and undone. Put your own script here, without that line, and Windlass runs yours.

echo "This script does nothing by itself: Windlass installs the cluster by its built-in actions." >&2
exit 64
