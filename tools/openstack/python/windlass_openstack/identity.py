"""Projects, users, roles and the catalog, in one process: the openstack command costs two seconds a call."""
from windlass_openstack.clients import connect, settings

SERVICES = (
    ('glance', 'image', 'glance', ''), ('placement', 'placement', 'placement', ''),
    ('nova', 'compute', 'nova', '/v2.1'), ('neutron', 'network', 'neutron', ''),
    ('cinderv3', 'volumev3', 'cinder', '/v3/%(project_id)s'), ('heat', 'orchestration', 'heat', '/v1/%(project_id)s'),
    ('heat-cfn', 'cloudformation', 'heatCfn', '/v1'))


class Identity:
    def __init__(self, known):
        self.known = known
        self.api = connect(known, known['admin']).identity
        self.default = self.api.find_domain('Default') or self.api.get_domain('default')

    def role(self, name):
        return self.api.find_role(name) or self.api.create_role(name=name)

    def project(self, name):
        return (self.api.find_project(name, domain_id=self.default.id)
                or self.api.create_project(name=name, domain_id=self.default.id))

    def user(self, name, password, domain):
        for user in self.api.users(domain_id=domain.id, name=name):
            return user
        return self.api.create_user(name=name, password=password, domain_id=domain.id)

    def service_users(self):
        service = self.project('service')
        for name in ('glance', 'placement', 'nova', 'neutron', 'cinder', 'heat'):
            user = self.user(name, self.known['servicePassword'], self.default)
            for role in ('admin', 'service'):
                self.api.assign_project_role_to_user(service, user, self.role(role))

    def catalog(self):
        for name, kind, port, path in SERVICES:
            service = (next(iter(self.api.services(type=kind)), None)
                       or self.api.create_service(name=name, type=kind))
            url = 'http://%s:%d%s' % (self.known['address'], self.known['ports'][port], path)
            for face in ('public', 'internal', 'admin'):
                if not list(self.api.endpoints(service_id=service.id, interface=face)):
                    self.api.create_endpoint(service_id=service.id, interface=face, url=url, region_id=self.known['region'])

    def heat_domain(self):
        domain = self.api.find_domain('heat') or self.api.create_domain(name='heat', description='users of stacks')
        admin = self.user('heat_domain_admin', self.known['servicePassword'], domain)
        self.api.assign_domain_role_to_user(domain, admin, self.role('admin'))

    def tenants(self):
        for tenant in self.known['tenants']:
            project = self.project(tenant['project'])
            user = self.user(tenant['user'], tenant['password'], self.default)
            for role in ('member', 'heat_stack_owner'):
                self.api.assign_project_role_to_user(project, user, self.role(role))


if __name__ == '__main__':
    identity = Identity(settings())
    for needed in ('service', 'heat_stack_owner', 'heat_stack_user'):
        identity.role(needed)
    identity.service_users()
    identity.catalog()
    identity.heat_domain()
    identity.tenants()
