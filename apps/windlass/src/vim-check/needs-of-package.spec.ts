import { readFile } from 'node:fs/promises';
import type { JsonObject } from '@windlass/foundation';
import { resourcesOf } from '@windlass/user-data';
import { flavourOf } from '@windlass/vnf-package';
import { beforeAll, describe, expect, it } from 'vitest';
import { amountsOf, serverGroupsOf } from './amounts.js';
import { needsOfPackage } from './needs-of-package.js';
import { packageIn } from './package-in.js';
import { portsOf, templateGroupsOf } from './ports-of-templates.js';
import type { VnfPackage } from '@windlass/vnf-package';

const SAMPLES = new URL('../../../../samples/', import.meta.url).pathname;

describe('what a package needs of a VIM', () => {
  let sample: VnfPackage;
  beforeAll(async () => {
    sample = await packageIn(`${SAMPLES}kubernetes`);
  });
  const needs = async (flavour: string, change: (body: JsonObject) => void = () => undefined) => {
    const text = await readFile(`${SAMPLES}requests/instantiate-kubernetes-${flavour}.json`, 'utf8');
    const body = JSON.parse(text.replaceAll('${NETWORK_ID}', 'net0')) as JsonObject;
    change(body);
    return needsOfPackage(flavourOf(sample.model, flavour), body);
  };

  it('only several masters need a virtual address, VRRP and etcd among them', async () => {
    const required = (all: Awaited<ReturnType<typeof needs>>) =>
      all.needs.flows.filter((flow) => flow.required).map(({ name }) => name);
    const simple = required(await needs('simple'));
    const complex = required(await needs('complex'));
    expect(simple).toEqual(expect.arrayContaining(['tcp-22', 'tcp-6443', 'tcp-10250-10255', 'udp-8472']));
    expect(complex.filter((name) => !simple.includes(name))).toEqual(['tcp-16443', 'vrrp', 'tcp-2379-2380']);
  });

  it.each([
    ['flannel', ['udp-8472']],
    ['calico', ['tcp-179', 'ipip']],
    ['none', []],
    [['Files/net.yaml'], []],
  ])('lets pass what the network add-on %s needs between nodes', async (addon, wanted) => {
    const { flows } = (
      await needs('simple', (body) => {
        const { additionalParams } = body as { additionalParams: Record<string, JsonObject> };
        additionalParams.k8s_cluster_installation_param!.network_addon = addon;
      })
    ).needs;
    const names = flows.filter(({ required }) => required).map(({ name }) => name);
    expect(names.filter((name) => ['udp-8472', 'tcp-179', 'ipip'].includes(name))).toEqual(wanted);
  });

  it('counts servers and ports at the requested size and at the largest', async () => {
    const { needs: complex } = await needs('complex');
    expect(complex.servers.map(({ name, now, most }) => ({ name, now, most }))).toEqual([
      { name: 'masterNode', now: 3, most: 5 },
      { name: 'workerNode', now: 2, most: 4 },
    ]);
    // The virtual address has a port of its own.
    expect(complex.amounts).toEqual({ now: { instances: 5, ports: 6 }, most: { instances: 9, ports: 10 } });
  });

  it('knows the groups that keep servers apart, and that their hosts have to be seen', async () => {
    const { needs: placed } = await needs('podaffinity');
    expect(placed.showHosts).toBe(true);
    expect(placed.serverGroups).toEqual([
      { name: 'worker_group', policy: 'anti-affinity', now: 2, most: 4 },
      { name: 'master_group', policy: 'anti-affinity', now: 3, most: 5 },
    ]);
    expect((await needs('complex')).needs.showHosts).toBe(false);
  });

  it('says which field of the request is missing, as an instantiation would', async () => {
    const body = needs('simple', (request) => delete request.extVirtualLinks);
    await expect(body).rejects.toMatchObject({ code: 'user-data.missing-parameters' });
  });
});

describe('what a cluster by kubespray needs of a VIM', () => {
  const flows = async (change: (cluster: JsonObject) => void = () => undefined) => {
    const { model } = await packageIn(`${SAMPLES}kubespray`);
    const text = await readFile(`${SAMPLES}requests/instantiate-kubespray.json`, 'utf8');
    const body = JSON.parse(text.replaceAll('${NETWORK_ID}', 'net0')) as JsonObject;
    change((body.additionalParams as JsonObject).k8s_cluster_installation_param as JsonObject);
    return needsOfPackage(flavourOf(model, 'simple'), body).needs.flows;
  };

  it('are the ports of kubespray’s cluster and of the load balancer before it, and none of keepalived and flannel', async () => {
    const all = await flows();
    expect(all.filter(({ required }) => required).map(({ name }) => name)).toEqual([
      ...['tcp-22', 'tcp-6443', 'tcp-8383', 'tcp-10250', 'egress-tcp', 'egress-dns'],
    ]);
    const of = (name: string) => all.find((flow) => flow.name === name);
    expect(of('tcp-8383')).toMatchObject({ ports: ['externalLB_CP1'], peer: 'outside' });
    expect(of('tcp-6443')).toMatchObject({ ports: ['masterNode_CP1'], peer: 'nodes' });
    expect(of('tcp-10250')?.peers).toContain('externalLB_CP1');
    expect(of('tcp-22')?.ports).toEqual(['masterNode_CP1', 'workerNode_CP2', 'externalLB_CP1']);
  });

  it('without a load balancer has its API reached at the masters, from outside', async () => {
    const all = await flows((cluster) => delete cluster.external_lb_param);
    expect(all.map(({ name }) => name)).not.toContain('tcp-8383');
    expect(all.find(({ name }) => name === 'tcp-6443')).toMatchObject({ ports: ['masterNode_CP1'], peer: 'outside' });
  });
});

describe('what templates make', () => {
  const made = (template: string, files: Record<string, string> = {}, parameters: JsonObject = {}) =>
    resourcesOf({ template, files, parameters } as Parameters<typeof resourcesOf>[0]);

  it('multiplies nested templates, and follows references through their parameters', () => {
    const nested = `
parameters: { net: { type: string }, group: { type: string }, sg: { type: string } }
resources:
  VM: { type: OS::Nova::Server, properties: { flavor: f, networks: [{ port: { get_resource: P } }], scheduler_hints: { group: { get_param: group } } } }
  P: { type: OS::Neutron::Port, properties: { network: { get_param: net }, security_groups: [{ get_param: sg }] } }
  V: { type: OS::Cinder::Volume, properties: { size: 10 } }
`;
    const top = `
parameters: { size: { type: number, default: 3 } }
resources:
  all: { type: OS::Heat::ResourceGroup, properties: { count: { get_param: size }, resource_def: { type: n.yaml, properties: { net: net0, group: { get_resource: g }, sg: { get_resource: s } } } } }
  g: { type: OS::Nova::ServerGroup, properties: { policies: [anti-affinity] } }
  s: { type: OS::Neutron::SecurityGroup, properties: { rules: [{ protocol: tcp, port_range_min: 22, port_range_max: 22 }, { remote_mode: remote_group_id }] } }
`;
    const resources = made(top, { 'n.yaml': nested });
    expect(amountsOf(resources)).toEqual({
      instances: 3,
      ports: 3,
      volumes: 3,
      gigabytes: 30,
      serverGroups: 1,
      securityGroups: 1,
      securityGroupRules: 4,
    });
    expect(serverGroupsOf(resources, made(top, { 'n.yaml': nested }, { size: 5 }))).toEqual([
      { name: 'g', policy: 'anti-affinity', now: 3, most: 5 },
    ]);
    expect(portsOf(resources)).toMatchObject([{ name: 'P', network: 'net0', templateGroups: ['s'], portSecurity: true }]);
    expect(templateGroupsOf(resources)).toMatchObject([
      { name: 's', rules: [{ direction: 'egress' }, { protocol: 'tcp', min: 22, max: 22 }, { remoteGroup: 's' }] },
    ]);
  });

  it('a template that says what goes out leaves Neutron’s own rules for that away', () => {
    const top = `
resources:
  s: { type: OS::Neutron::SecurityGroup, properties: { rules: [{ direction: egress, protocol: udp }] } }
`;
    expect(templateGroupsOf(made(top))[0]?.rules).toMatchObject([{ direction: 'egress', protocol: 'udp' }]);
  });
});
