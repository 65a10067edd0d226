import type { OpenStackEmulator } from '@windlass/lab';

type Catalog = { type: string; endpoints: { interface: string; url: string }[] }[];

/** `openstack server rebuild <server>`: gives the server a new disk of its image; ports and addresses stay. */
export async function rebuild({ url, tenant }: OpenStackEmulator, serverId: string): Promise<void> {
  const of = { domain: { id: 'default' } };
  const login = await fetch(`${url}/auth/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      auth: {
        identity: { methods: ['password'], password: { user: { name: tenant.user, password: tenant.password, ...of } } },
        scope: { project: { name: tenant.project, ...of } },
      },
    }),
  });
  const { token } = (await login.json()) as { token: { catalog: Catalog } };
  const compute = token.catalog.find(({ type }) => type === 'compute')?.endpoints.find((one) => one.interface === 'public');
  if (compute === undefined) throw new Error(`no compute service in the catalog: ${login.status}`);
  const headers = { 'Content-Type': 'application/json', 'X-Auth-Token': login.headers.get('x-subject-token') ?? '' };
  const server = `${compute.url}/servers/${serverId}`;
  const shown = (await (await fetch(server, { headers })).json()) as { server: { image: { id: string } } };
  const body = JSON.stringify({ rebuild: { imageRef: shown.server.image.id } });
  const { status } = await fetch(`${server}/action`, { method: 'POST', headers, body });
  if (status !== 202) throw new Error(`the rebuild was refused: ${status}`);
}
