import { randomBytes, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { notFound, ok, onlyKnown, jsonOf, pageOf, Refusal, unknown, type Answer, type Asked } from './answer.js';
import { CheapImages } from './cheap-images.js';
import { CheapStacks, time, type Made } from './cheap-stacks.js';

/** Who may log in; the password is made anew for each. */
export interface CheapTenant {
  user: string;
  project: string;
  password: string;
}

const REGION = 'RegionOne';
const PROJECT_ID = 'c0ffee00000040008000000000000001';
const USER_ID = 'c0ffee00000040008000000000000002';
const TOKEN_LASTS = 86_400_000;

const NETWORK = { id: 'c0ffee00-0000-4000-8000-000000000003', name: 'net0', subnet: 'c0ffee00-0000-4000-8000-000000000004' };

/**
 * What stands in for an OpenStack **for speed alone**: it answers what an instantiation and a termination of servers and ports ask of Keystone,
 * Glance, Heat, Nova and Neutron, for one user, out of a few maps. Right it is only as far as those need; what it does not know it refuses.
 * A test of behaviour wants the emulator of `@windlass/lab`.
 */
export class CheapVim {
  readonly tenant: CheapTenant = { user: 'bench', project: 'bench', password: randomBytes(18).toString('base64url') };
  readonly #token = randomUUID();
  readonly #images = new CheapImages();
  readonly #stacks: CheapStacks;

  /**
   * @param base `http://127.0.0.1:<port>`, once it is known
   * @param takes milliseconds that a stack takes to come, and to go
   */
  constructor(
    private readonly base: () => string,
    takes = 0,
  ) {
    this.#stacks = new CheapStacks(takes, () => `${this.base()}/orchestration/v1/${PROJECT_ID}`);
  }

  /** @throws Refusal for what it does not know, and where an OpenStack would refuse */
  answer(service: string, asked: Asked, token: string | undefined): Answer {
    if (service === 'identity' && asked.method === 'POST' && asked.words.join('/') === 'v3/auth/tokens')
      return this.#logIn(asked);
    if (token !== this.#token) throw new Refusal(401, 'The request you have made requires authentication.');
    switch (service) {
      case 'identity':
        return this.#identity(asked);
      case 'image':
        return this.#images.answer(asked);
      case 'orchestration':
        return this.#stacks.answer(asked);
      case 'compute':
        return this.#compute(asked);
      case 'network':
        return this.#network(asked);
      default:
        throw unknown(`a service ${service}`);
    }
  }

  #logIn(asked: Asked): Answer {
    const { auth } = jsonOf(asked);
    const identity = isJsonObject(auth) && isJsonObject(auth.identity) ? auth.identity : {};
    const user = isJsonObject(identity.password) && isJsonObject(identity.password.user) ? identity.password.user : {};
    if (user.name !== this.tenant.user || user.password !== this.tenant.password)
      throw new Refusal(401, 'The request you have made requires authentication.');
    const now = Date.now();
    const token = {
      methods: ['password'],
      user: { id: USER_ID, name: this.tenant.user, domain: { id: 'default', name: 'Default' } },
      project: { id: PROJECT_ID, name: this.tenant.project, domain: { id: 'default', name: 'Default' } },
      roles: ['reader', 'member'].map((name) => ({ id: name, name })),
      issued_at: time(now),
      expires_at: time(now + TOKEN_LASTS),
      catalog: this.#catalog(),
    };
    return { status: 201, headers: { 'X-Subject-Token': this.#token }, json: { token } };
  }

  #catalog(): JsonObject[] {
    const paths = {
      identity: '/identity/v3',
      image: '/image',
      network: '/network',
      compute: '/compute/v2.1',
      orchestration: `/orchestration/v1/${PROJECT_ID}`,
    };
    return Object.entries(paths).map(([type, path]) => ({
      id: type,
      type,
      name: type,
      endpoints: ['public', 'internal', 'admin'].map((face) => ({
        id: `${type}-${face}`,
        interface: face,
        region: REGION,
        region_id: REGION,
        url: `${this.base()}${path}`,
      })),
    }));
  }

  #identity(asked: Asked): Answer {
    if (asked.method === 'GET' && asked.words.join('/') === 'v3/regions') return ok({ regions: [{ id: REGION }] });
    throw unknown(`${asked.method} of Keystone's ${asked.words.join('/')}`);
  }

  #compute(asked: Asked): Answer {
    const [, servers, id, ...more] = asked.words;
    if (asked.method === 'GET' && servers === 'flavors' && id === 'detail') {
      onlyKnown(asked, ['limit']);
      return ok({ flavors: FLAVORS });
    }
    if (asked.method !== 'GET' || servers !== 'servers' || id === undefined || more.length > 0)
      throw unknown(`${asked.method} of Nova's ${asked.words.join('/')}`);
    if (id === 'detail') {
      onlyKnown(asked, ['limit', 'marker']);
      return ok({ servers: pageOf([...this.#stacks.servers.values()], asked).map(server) });
    }
    onlyKnown(asked, []);
    const found = this.#stacks.servers.get(id);
    if (found === undefined) throw notFound(`server ${id}`);
    return ok({ server: server(found) });
  }

  #network(asked: Asked): Answer {
    const [, kind, id] = asked.words;
    if (asked.method !== 'GET' || id !== undefined) throw unknown(`${asked.method} of Neutron's ${asked.words.join('/')}`);
    const has = (name: string, value: string): boolean => {
      const wanted = asked.query.getAll(name);
      return wanted.length === 0 || wanted.includes(value);
    };
    switch (kind) {
      case 'ports':
        onlyKnown(asked, ['id', 'device_id', 'limit', 'marker']);
        return ok({ ports: pageOf(this.#portsAsked(asked), asked).map(port) });
      case 'networks':
        onlyKnown(asked, ['id', 'name']);
        return ok({ networks: has('id', NETWORK.id) && has('name', NETWORK.name) ? [network()] : [] });
      case 'subnets':
        onlyKnown(asked, ['network_id']);
        return ok({ subnets: has('network_id', NETWORK.id) ? [subnet()] : [] });
      case 'floatingips':
        onlyKnown(asked, ['id', 'port_id']);
        return ok({ floatingips: [] });
      default:
        throw unknown(`Neutron's ${asked.words.join('/')}`);
    }
  }

  #portsAsked({ query }: Asked): Made[] {
    const [ids, devices] = [query.getAll('id'), query.getAll('device_id')];
    const among = ids.length > 0 ? ids.flatMap((id) => this.#stacks.ports.get(id) ?? []) : [...this.#stacks.ports.values()];
    return devices.length === 0 ? among : among.filter(({ others }) => others.some((server) => devices.includes(server)));
  }
}

const server = ({ id, name, others, createdAt }: Made): JsonObject => ({
  id,
  name,
  status: 'ACTIVE',
  'OS-EXT-STS:task_state': null,
  'OS-EXT-AZ:availability_zone': 'nova',
  created: time(createdAt),
  hostId: 'cheap',
  image: { id: 'c0ffee00-0000-4000-8000-000000000005' },
  flavor: { id: 'c0ffee00-0000-4000-8000-000000000006' },
  metadata: {},
  addresses: {},
  'os-extended-volumes:volumes_attached': [],
  security_groups: others.map(() => ({ name: 'default' })),
});

/** Those that packages name. */
const FLAVORS = ['m1.tiny', 'm1.small', 'm1.medium', 'm1.large'].map((name): JsonObject => ({
  id: name,
  name,
  vcpus: 2,
  ram: 8_192,
  disk: 80,
}));

const port = ({ id, name, others, number }: Made): JsonObject => ({
  id,
  name,
  network_id: NETWORK.id,
  mac_address: `fa:16:3e:${[16, 8, 0].map((shift) => ((number >> shift) & 255).toString(16).padStart(2, '0')).join(':')}`,
  fixed_ips: [{ subnet_id: NETWORK.subnet, ip_address: `10.${[16, 8, 0].map((shift) => (number >> shift) & 255).join('.')}` }],
  device_id: others[0] ?? '',
  status: 'ACTIVE',
  allowed_address_pairs: [],
});

const subnet = (): JsonObject => ({
  id: NETWORK.subnet,
  name: 'subnet0',
  network_id: NETWORK.id,
  cidr: '10.0.0.0/8',
  ip_version: 4,
  gateway_ip: null,
  enable_dhcp: true,
  dns_nameservers: [],
});

const network = (): JsonObject => ({
  id: NETWORK.id,
  name: NETWORK.name,
  status: 'ACTIVE',
  subnets: [NETWORK.subnet],
  shared: true,
  'router:external': false,
  mtu: 1_500,
  port_security_enabled: true,
});
