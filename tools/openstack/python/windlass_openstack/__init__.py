"""Small parts that the real OpenStack of tools/openstack needs."""
