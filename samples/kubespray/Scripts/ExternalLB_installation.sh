#!/bin/bash
# windlass: builtin
#
# A request names this script as `external_lb_param.script_path`. Its second line tells Windlass to install HAProxy by its own actions: they
# can be resumed, looked at and undone. Put your own script here, without that line, and Windlass runs yours on the load balancer, with
# -m (addresses of masters) and -w (addresses of workers), separated by commas.

echo "This script does nothing by itself: Windlass installs the load balancer by its built-in actions." >&2
exit 64
