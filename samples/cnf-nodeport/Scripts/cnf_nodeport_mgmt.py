# Windlass binds hooks by the name mgmt-drivers-cnf-nodeport and never runs this file. It stands here because the VNFD's artifact names it.
