import { isJsonObject, Secret, type JsonObject } from '@windlass/foundation';
import type { Finding } from '@windlass/openstack';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CheckedCloud, RULES } from './checked-cloud.js';
import type { ContractRun } from './contract-vim.js';

/** Flows that are not required: the cluster comes up without them. */
const LESSER = ['icmp', 'tcp-53', 'tcp-30000-32767'];

/** Tests `./windlass vim check` in a cloud prepared as the guide says, and with one thing broken at a time. */
export function vimCheckContract(run: ContractRun): void {
  describe('vim check', () => {
    let cloud: CheckedCloud;
    const worse = (findings: readonly Finding[]): string[] =>
      findings
        .filter(({ status }) => status === 'failed' || status === 'warning')
        .map(({ status, check }) => `${status} ${check}`);
    /** The finding that this cloud always has: it lacks certificates. */
    const ALWAYS = ['warning access.tls'];

    /** Checks with one thing broken, and mends the thing even where the check fails. */
    const broken = async (breaks: () => Promise<void>, mend: () => Promise<void>, look: () => Promise<void>): Promise<void> => {
      await breaks();
      try {
        await look();
      } finally {
        await mend();
      }
    };
    const withoutRule = (name: string, look: () => Promise<void>): Promise<void> =>
      broken(
        () => cloud.removeRule(name),
        () => cloud.addRule(name),
        look,
      );

    beforeAll(async () => {
      cloud = new CheckedCloud(run.connection, run.name('check'));
      await cloud.prepare();
      await cloud.isolateMembers();
    });
    afterAll(() => cloud.takeAway());

    it('finds nothing to do where the guide was followed', async () => {
      const { findings, exitCode } = await cloud.check(await cloud.request());
      expect(worse(findings)).toEqual(ALWAYS);
      expect(exitCode).toBe(2);
      const checks = findings.map(({ check }) => check);
      expect(checks).toEqual(expect.arrayContaining(['access.login', 'clock', 'network.router', 'flavor.fits', 'quota.ports']));
      expect(findings.find(({ check }) => check === 'image.login')?.status).toBe('note');
    });

    it('names each rule that is missing, with the command that adds it', async () => {
      for (const name of Object.keys(RULES))
        await withoutRule(name, async () => {
          const { findings, exitCode } = await cloud.check(await cloud.request());
          const lesser = LESSER.includes(name);
          expect(worse(findings)).toEqual([...ALWAYS, `${lesser ? 'warning' : 'failed'} security-group.${name}`]);
          expect(exitCode).toBe(lesser ? 2 : 1);
          const told = findings.find(({ check }) => check === `security-group.${name}`);
          expect(told?.command).toMatch(new RegExp(`^openstack security group rule create .*${cloud.group}$`));
        });
    });

    it('takes a rule for one address for a warning, until it is told that Windlass asks from there', async () => {
      await withoutRule('tcp-22', async () => {
        await cloud.addRule('tcp-22', { remote_ip_prefix: '198.51.100.0/24' });
        expect(worse((await cloud.check(await cloud.request())).findings)).toEqual([...ALWAYS, 'warning security-group.tcp-22']);
        const from = async (address: string) => worse((await cloud.check(await cloud.request(), ['--from', address])).findings);
        expect(await from('198.51.100.7')).toEqual(ALWAYS);
        expect(await from('203.0.113.7')).toEqual([...ALWAYS, 'failed security-group.tcp-22']);
        await cloud.removeRule('tcp-22');
      });
    });

    it('names a router without a gateway, no router, and no name servers', async () => {
      const gateway = [() => cloud.gateway(false), () => cloud.gateway(true)] as const;
      await broken(...gateway, async () => {
        const { findings } = await cloud.check(await cloud.request());
        expect(worse(findings)).toEqual([...ALWAYS, 'failed network.router']);
        expect(findings.find(({ check }) => check === 'network.router')?.command).toBe(
          `openstack router set --external-gateway public ${cloud.router}`,
        );
      });
      const interfaces = [() => cloud.attach(false), () => cloud.attach(true)] as const;
      await broken(...interfaces, async () =>
        expect(worse((await cloud.check(await cloud.request())).findings)).toEqual([...ALWAYS, 'failed network.router']),
      );
      const names = [() => cloud.nameServers([]), () => cloud.nameServers(['10.66.0.1'])] as const;
      await broken(...names, async () =>
        expect(worse((await cloud.check(await cloud.request())).findings)).toEqual([...ALWAYS, 'warning network.dns']),
      );
    });

    it('names a network, a flavor and an image that are not there, and a flavor that is too small', async () => {
      const absent = await cloud.request((body) => {
        const [link] = body.extVirtualLinks as JsonObject[];
        if (link !== undefined) link.resourceId = 'no-such-net';
        nfvOf(body).VDU = { workerNode: { flavor: 'no-such-flavor' }, masterNode: { flavor: 'm1.tiny', image: 'no-such-image' } };
      });
      const { findings, exitCode } = await cloud.check(absent);
      expect(exitCode).toBe(1);
      expect(findings.filter(({ status }) => status === 'failed').map(({ check, subject }) => `${check} ${subject}`)).toEqual([
        'network.exists no-such-net',
        'flavor.fits masterNode: m1.tiny',
        'flavor.fits workerNode: no-such-flavor',
        'image.exists no-such-image',
      ]);
      expect(findings.find(({ check }) => check === 'image.exists')?.command).toContain('openstack image create');
    });

    it('says that a wrong password is one, and looks no further', async () => {
      const { credentials } = run.connection;
      if (credentials.kind !== 'password') throw new Error('the contract needs a user with a password');
      const wrong = { ...run.connection, credentials: { ...credentials, password: new Secret('wrong-password-of-a-person') } };
      const { findings, exitCode } = await cloud.check(undefined, [], wrong);
      expect(findings.map(({ check, status }) => `${status} ${check}`)).toEqual(['failed access.login']);
      expect(JSON.stringify(findings)).not.toContain('wrong-password-of-a-person');
      expect(exitCode).toBe(1);
    });

    it('looks at the guide’s preparations without a package', async () => {
      const { findings } = await cloud.check(undefined, ['--network', cloud.network]);
      expect(worse(findings)).toEqual(ALWAYS);
      await withoutRule('vrrp', async () =>
        expect(worse((await cloud.check(undefined, ['--network', cloud.network])).findings)).toEqual([
          ...ALWAYS,
          'warning security-group.vrrp',
        ]),
      );
    });
  });
}

function nfvOf(body: JsonObject): JsonObject {
  const parameters = isJsonObject(body.additionalParams) ? body.additionalParams : {};
  const nfv: JsonObject = {};
  body.additionalParams = { ...parameters, nfv };
  return nfv;
}
