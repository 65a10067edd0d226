import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';
import { OpenStack, type Finding, type ServiceType, type VimConnection } from '@windlass/openstack';
import { buildCsar } from '@windlass/vnf-package';
import { surroundings, windlassProgram } from '@windlass/windlass';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';

const HOME = new URL('../../..', import.meta.url).pathname;

/** The output of `vim check --json`, and the exit status. */
export interface Checked {
  status: string;
  findings: Finding[];
  exitCode: number;
}

/** The security group rules of a cluster with a virtual address, for packets of nodes and of strangers, as Neutron takes them. */
export const RULES: Readonly<Record<string, JsonObject>> = {
  'tcp-22': { protocol: 'tcp', port_range_min: 22, port_range_max: 22 },
  icmp: { protocol: 'icmp' },
  'tcp-53': { protocol: 'tcp', port_range_min: 53, port_range_max: 53 },
  'tcp-6443': { protocol: 'tcp', port_range_min: 6443, port_range_max: 6443 },
  'tcp-16443': { protocol: 'tcp', port_range_min: 16443, port_range_max: 16443 },
  vrrp: { protocol: '112' },
  'tcp-2379-2380': { protocol: 'tcp', port_range_min: 2379, port_range_max: 2380 },
  'tcp-10250-10255': { protocol: 'tcp', port_range_min: 10250, port_range_max: 10255 },
  'udp-8472': { protocol: 'udp', port_range_min: 8472, port_range_max: 8472 },
  'tcp-30000-32767': { protocol: 'tcp', port_range_min: 30000, port_range_max: 32767 },
};

/** A network in a cloud, prepared as the guide says by the cloud's API alone, and removed at the end. */
export class CheckedCloud {
  readonly #openStack: OpenStack;
  readonly #undo: (() => Promise<unknown>)[] = [];
  #scratch = '';
  network = '';
  subnet = '';
  router = '';
  group = '';

  constructor(
    readonly connection: VimConnection,
    private readonly tag: string,
  ) {
    this.#openStack = OpenStack.open(connection);
  }

  get #package(): string {
    return join(this.#scratch, 'kubernetes');
  }

  get networkName(): string {
    return `${this.tag}-net`;
  }

  /** Sends a request as the tenant. Returns the named member of the answer. */
  async ask(
    method: 'POST' | 'PUT' | 'GET' | 'DELETE',
    path: string,
    member = '',
    json?: JsonObject,
    of: ServiceType = 'network',
  ): Promise<JsonObject> {
    const expect = [200, 201, 204, 404];
    const answer = await this.#openStack.session.request(of, { method, path, expect, ...(json === undefined ? {} : { json }) });
    if (answer.status === 204 || answer.text === '') return {};
    const found: Json | undefined = member === '' ? answer.body().value : answer.body().value[member];
    return isJsonObject(found) ? found : {};
  }

  /** Copies the sample package, with its virtual address on the prepared network. */
  async #copyPackage(): Promise<void> {
    await cp(join(HOME, 'samples/kubernetes'), this.#package, { recursive: true });
    const top = join(this.#package, 'BaseHOT/complex/complex_hot_top.yaml');
    await writeFile(top, (await readFile(top, 'utf8')).replaceAll('network: net0', `network: ${this.networkName}`));
    await buildCsar(this.#package, `${this.#package}.zip`);
  }

  /** Makes a network, a subnet with name servers, a router that leads out, and the default group with all rules. */
  async prepare(): Promise<void> {
    this.#scratch = await mkdtemp(join(tmpdir(), 'vim-check-'));
    await this.#copyPackage();
    this.network = await this.#make('networks', 'network', { name: this.networkName });
    this.subnet = await this.#make('subnets', 'subnet', {
      name: `${this.tag}-subnet`,
      network_id: this.network,
      ip_version: 4,
      cidr: '10.66.0.0/24',
      dns_nameservers: ['10.66.0.1'],
    });
    this.router = await this.#make('routers', 'router', { name: `${this.tag}-router` });
    await this.gateway(true);
    await this.attach(true);
    this.#undo.push(() => this.attach(false));
    const { id } = await this.#default();
    this.group = String(id);
    for (const name of Object.keys(RULES)) await this.addRule(name);
  }

  async gateway(on: boolean): Promise<void> {
    const [external] = await this.#list('/networks?router:external=true', 'networks');
    const json = { router: { external_gateway_info: on ? { network_id: external?.id ?? null } : null } };
    await this.ask('PUT', `/routers/${this.router}`, 'router', json);
  }

  async attach(on: boolean): Promise<void> {
    await this.ask('PUT', `/routers/${this.router}/${on ? 'add' : 'remove'}_router_interface`, '', { subnet_id: this.subnet });
  }

  async nameServers(addresses: string[]): Promise<void> {
    await this.ask('PUT', `/subnets/${this.subnet}`, 'subnet', { subnet: { dns_nameservers: addresses } });
  }

  async addRule(name: string, more: JsonObject = {}): Promise<void> {
    const rule = { security_group_id: this.group, direction: 'ingress', ethertype: 'IPv4', ...RULES[name], ...more };
    const { id } = await this.ask('POST', '/security-group-rules', 'security_group_rule', { security_group_rule: rule });
    this.#undo.push(() => this.ask('DELETE', `/security-group-rules/${String(id)}`));
  }

  /** Removes the rule of a flow. */
  async removeRule(name: string): Promise<void> {
    const wanted = RULES[name] ?? {};
    const { security_group_rules: rules } = await this.#default();
    const same = (Array.isArray(rules) ? rules : [])
      .filter(isJsonObject)
      .filter(
        (rule) =>
          rule.direction === 'ingress' &&
          (String(rule.protocol) === String(wanted.protocol) || (wanted.protocol === '112' && rule.protocol === 'vrrp')) &&
          (rule.port_range_min ?? null) === (wanted.port_range_min ?? null),
      );
    for (const { id } of same) await this.ask('DELETE', `/security-group-rules/${String(id)}`);
  }

  /** Removes the rule by which members of a new project's default group admit each other: with it, no rule between nodes would be missed. */
  async isolateMembers(): Promise<void> {
    const { security_group_rules: rules } = await this.#default();
    const own = (Array.isArray(rules) ? rules : [])
      .filter(isJsonObject)
      .filter(({ remote_group_id: group }) => group === this.group);
    for (const rule of own) {
      await this.ask('DELETE', `/security-group-rules/${String(rule.id)}`);
      const { direction = null, ethertype = null } = rule;
      const again = { security_group_id: this.group, direction, ethertype, remote_group_id: this.group };
      this.#undo.push(() => this.ask('POST', '/security-group-rules', '', { security_group_rule: again }));
    }
  }

  /** Writes the sample's request for flavour `complex` on the prepared network, changed by a function. Returns the file's path. */
  async request(change: (body: JsonObject) => void = () => undefined): Promise<string> {
    const text = await readFile(join(HOME, 'samples/requests/instantiate-kubernetes-complex.json'), 'utf8');
    const body = JSON.parse(text.replaceAll('${NETWORK_ID}', this.network)) as JsonObject;
    change(body);
    const file = join(this.#scratch, 'request.json');
    await writeFile(file, JSON.stringify(body));
    return file;
  }

  /** Runs `./windlass vim check --json` with the sample package, as a person at that cloud would. */
  async check(request: string | undefined, args: string[] = [], connection = this.connection): Promise<Checked> {
    const packed = request === undefined ? [] : ['--package', `${this.#package}.zip`, '--request', request];
    const out: string[] = [];
    const written = vi.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0);
    const before = process.exitCode;
    try {
      const where = { ...surroundings(environmentOf(connection)), calledFrom: HOME };
      await windlassProgram(where).parseAsync(['vim', 'check', '--json', ...packed, ...args], { from: 'user' });
      const exitCode = Number(process.exitCode ?? 0);
      return { ...(JSON.parse(out.join('')) as { status: string; findings: Finding[] }), exitCode };
    } finally {
      process.exitCode = before;
      written.mockRestore();
    }
  }

  /** Takes back every change that the tenant can see, except for tokens. */
  async takeAway(): Promise<void> {
    for (const undo of this.#undo.reverse()) await undo();
    this.#openStack.close();
    await rm(this.#scratch, { recursive: true, force: true });
  }

  async #make(path: string, member: string, wish: JsonObject): Promise<string> {
    const { id } = await this.ask('POST', `/${path}`, member, { [member]: wish });
    this.#undo.push(() => this.ask('DELETE', `/${path}/${String(id)}`));
    return String(id);
  }

  async #default(): Promise<JsonObject> {
    const groups = await this.#list('/security-groups?name=default', 'security_groups');
    const { projectId } = await this.#openStack.session.token();
    return groups.find(({ project_id: project }) => project === projectId) ?? {};
  }

  async #list(path: string, member: string): Promise<JsonObject[]> {
    const answer = await this.#openStack.session.request('network', { method: 'GET', path, expect: [200] });
    const found = answer.body().value[member];
    return (Array.isArray(found) ? found : []).filter(isJsonObject);
  }
}

function environmentOf({ authUrl, region, credentials }: VimConnection): Record<string, string> {
  if (credentials.kind !== 'password') throw new Error('the check is made as a user with a password');
  const name = (given: unknown): string => (typeof given === 'string' ? given : 'Default');
  return {
    OS_AUTH_URL: authUrl,
    OS_USERNAME: credentials.username,
    OS_PASSWORD: credentials.password.reveal(),
    OS_PROJECT_NAME: name(credentials.project),
    OS_USER_DOMAIN_NAME: name(credentials.userDomain),
    OS_PROJECT_DOMAIN_NAME: name(credentials.projectDomain),
    ...(region === undefined ? {} : { OS_REGION_NAME: region }),
  };
}
