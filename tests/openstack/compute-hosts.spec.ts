import { Secret, seconds } from '@windlass/foundation';
import { OpenStackEmulator } from '@windlass/lab';
import { afterEach, describe, expect, it } from 'vitest';
import { ContractRun } from './testing/contract-vim.js';
import { Actions } from './testing/infra-actions.js';

const TEMPLATE = `heat_template_version: 2013-05-23
resources:
  one: {type: OS::Nova::Server, properties: {flavor: m1.tiny, image: cirros, networks: [{network: net0}]}}
`;
const POLICY = 'os_compute_api:os-extended-server-attributes';

/** A VIM, seen as its user or as its administrator sees it. */
interface Seen {
  shown: boolean;
  as: 'user' | 'admin';
  withServer: boolean;
}

describe('whether a driver will learn on which compute host a server runs', () => {
  const run = new ContractRun();
  let actions: Actions;

  afterEach(async () => {
    actions.close();
    await run.end();
  });

  async function look({ shown, as, withServer }: Seen): Promise<string> {
    const emulator = await OpenStackEmulator.start({ showHost: shown });
    const { user: username, password, project } = as === 'user' ? emulator.tenant : emulator.admin;
    const credentials = { kind: 'password' as const, username, password: new Secret(password), project };
    const connection = { authUrl: emulator.url, region: 'RegionOne', credentials };
    await run.begin(() => Promise.resolve({ connection, within: seconds(30), close: () => emulator.stop() }));
    actions = new Actions(run);
    const { heat, nova } = run.openStack;
    if (withServer) {
      await heat.createStack({ name: 'one', template: TEMPLATE, files: {}, parameters: {}, tags: [], timeoutMinutes: 1 });
      await expect.poll(() => nova.listServers(), { timeout: 30_000 }).toHaveLength(1);
    }
    const before = JSON.stringify(emulator.inventory());
    const said = await actions.do('see-compute-hosts', {}).then(
      () => 'seen',
      (error: unknown) => (error as Error).message,
    );
    expect(JSON.stringify(emulator.inventory())).toBe(before);
    return said;
  }

  it('is told by a server, whoever asks', async () => {
    expect(await look({ shown: true, as: 'user', withServer: true })).toBe('seen');
  });

  it('is no where policy hides it: the error names the user, the rule and the role', async () => {
    const said = await look({ shown: false, as: 'user', withServer: true });
    expect(said).toContain('does not show user');
    expect(said).toContain(POLICY);
    expect(said).toContain('role admin');
    expect(said).toContain('Nothing was made');
  });

  it('is yes for an administrator of a project without servers', async () => {
    expect(await look({ shown: false, as: 'admin', withServer: false })).toBe('seen');
  });

  it('is not guessed for a user of a project without servers: the error says how it can be seen', async () => {
    const said = await look({ shown: true, as: 'user', withServer: false });
    expect(said).toContain('has no server yet');
    expect(said).toContain(POLICY);
    expect(said).toContain('make any server in the project once');
  });
});
