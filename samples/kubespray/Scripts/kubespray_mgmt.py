# This file is never run.
#
# A VNFD binds a management driver to a hook by the name of an implementation, and the artifact of that name has to name
# a file. Windlass takes the name, mgmt-drivers-kubespray, and runs its own registered driver of that name; what a
# package carries here is kept, served and verified, but not executed.
