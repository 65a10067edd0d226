"""Waits until compute, volume and stack services are up, then makes flavors, images and each tenant's networks."""
import io
import sys
import time

from windlass_openstack.clients import connect, settings

FLAVORS = (('m1.tiny', 512, 1, 1), ('m1.small', 1024, 1, 1), ('m1.medium', 2048, 2, 5))
IMAGES = ('cirros', 'image-1.0.0')
NETWORKS = (('net0', 'subnet0', '10.10.0.0/24'), ('net1', 'subnet1', '10.10.1.0/24'),
            ('net_mgmt', 'subnet_mgmt', '192.168.120.0/24'))


def wait_until_up(admin, hosts):
    seen = ''
    for _ in range(120):
        up = {service.host for service in admin.compute.services() if service.state == 'up' and service.binary == 'nova-compute'}
        hypervisors = {one.name for one in admin.compute.hypervisors()}
        volumes = [one for one in admin.block_storage.get('/os-services').json()['services']
                   if one['binary'] == 'cinder-volume' and one['state'] == 'up']
        engines = [one for one in admin.orchestration.get('/services').json()['services'] if one['status'] == 'up']
        if set(hosts) <= up and set(hosts) <= hypervisors and volumes and engines:
            return
        seen = 'compute %s, hypervisors %s, cinder-volume %d, heat-engine %d' % (up, hypervisors, len(volumes), len(engines))
        time.sleep(1)
    sys.exit('not up after two minutes: ' + seen)


def make_flavors_and_images(admin):
    for name, ram, vcpus, disk in FLAVORS:
        if not admin.compute.find_flavor(name):
            admin.compute.create_flavor(name=name, ram=ram, vcpus=vcpus, disk=disk)
    for name in IMAGES:
        if not admin.image.find_image(name):
            admin.image.create_image(name=name, data=io.BytesIO(b'\0' * 65536), disk_format='raw',
                                     container_format='bare', visibility='public', validate_checksum=False)


def make_external_network(admin):
    if not admin.network.find_network('public'):
        network = admin.network.create_network(name='public', is_router_external=True)
        admin.network.create_subnet(name='subpublic', network_id=network.id, ip_version=4, cidr='172.24.4.0/24')


def make_networks(tenant):
    for name, subnet, cidr in NETWORKS:
        network = tenant.network.find_network(name) or tenant.network.create_network(name=name)
        if not network.subnet_ids:
            tenant.network.create_subnet(name=subnet, network_id=network.id, ip_version=4, cidr=cidr)


if __name__ == '__main__':
    known = settings()
    administrator = connect(known, known['admin'])
    wait_until_up(administrator, known['computeHosts'])
    make_flavors_and_images(administrator)
    make_external_network(administrator)
    for who in known['tenants']:
        make_networks(connect(known, who))
