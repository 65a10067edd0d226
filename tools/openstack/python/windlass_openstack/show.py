"""Prints what a client needs: OS_* variables to source, or one JSON object."""
import json
import sys

from windlass_openstack.seed import FLAVORS, IMAGES, NETWORKS


def as_json(known):
    first, second = known['tenants']
    print(json.dumps({
        'authUrl': known['authUrl'], 'region': known['region'], 'userDomain': 'Default', 'projectDomain': 'Default',
        **first, 'secondTenant': second, 'admin': known['admin'],
        'flavors': [flavor[0] for flavor in FLAVORS], 'images': list(IMAGES), 'networks': [network[0] for network in NETWORKS],
        'externalNetwork': 'public', 'computeHosts': known['computeHosts'], 'dataDir': known['dataDir']}))


def as_environment(known):
    first = known['tenants'][0]
    for name, value in (('AUTH_URL', known['authUrl']), ('IDENTITY_API_VERSION', '3'), ('REGION_NAME', known['region']),
                        ('USERNAME', first['user']), ('PASSWORD', first['password']), ('PROJECT_NAME', first['project']),
                        ('USER_DOMAIN_NAME', 'Default'), ('PROJECT_DOMAIN_NAME', 'Default'),
                        ('ADMIN_USERNAME', known['admin']['user']), ('ADMIN_PASSWORD', known['admin']['password']),
                        ('ADMIN_PROJECT_NAME', known['admin']['project'])):
        print('export OS_%s=%s' % (name, value))


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as file:
        settings = json.load(file)
    as_json(settings) if sys.argv[2] == 'json' else as_environment(settings)
