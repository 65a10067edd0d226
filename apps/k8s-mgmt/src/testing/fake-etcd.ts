import type { FakeCall, FakeHosts, FakeReply } from '@windlass/mgmt-driver/testing';

/** A member of etcd, with its faults. */
export interface FakeMember {
  id: bigint;
  address: string;
  voting: boolean;
  /** Whether the member's process runs. */
  runs: boolean;
  /** Whether the member was announced and has never started, as after an attempt that died. */
  announcedOnly: boolean;
}

/** A cluster's etcd, as etcdctl on the masters prints it. Written from etcd's documentation. */
export class FakeEtcd {
  readonly members: FakeMember[] = [];
  leader: string | undefined;
  /** The masters whose container runtime does not answer; their etcd runs on. */
  readonly withoutRuntime = new Set<string>();
  /** Whether the leader refuses to hand over. */
  stubborn = false;
  readonly #addressOf = new Map<string, string>();
  #ids = 10_276_657_743_932_975_437n;

  constructor(hosts: FakeHosts) {
    hosts.on(/^container=\$\(crictl /, (call) => this.#crictl(call));
  }

  /** Adds the member of a master. */
  add(resourceId: string, address: string, of: Partial<FakeMember> = {}): FakeMember {
    this.#addressOf.set(resourceId, address);
    const fresh = { id: (this.#ids += 7n), address, voting: true, runs: true, announcedOnly: false };
    const member: FakeMember = Object.assign(fresh, of);
    this.members.push(member);
    this.leader ??= address;
    return member;
  }

  /** Ends a member's process. Another member leads, where there is a quorum. */
  kill(address: string): void {
    for (const member of this.members.filter((each) => each.address === address)) member.runs = false;
    this.#elect();
  }

  /**
   * The reason why kubeadm's join as a further control plane ends before any change, or etcd refuses the member; undefined where both succeed.
   * kubeadm asks each member that has ever started (`CheckClusterHealth`).
   */
  refusal(address: string): string | undefined {
    if (!this.decides) return 'etcdserver: request timed out';
    const dead = this.members.find(({ runs, announcedOnly }) => !runs && !announcedOnly);
    if (dead !== undefined)
      return `error execution phase check-etcd: etcd cluster is not healthy: failed to dial endpoint ${clientUrl(dead.address)} with maintenance client: context deadline exceeded`;
    if (this.members.some((member) => member.address === address)) return 'etcdserver: Peer URLs already exists';
    if (this.members.some(({ voting }) => !voting)) return 'etcdserver: too many learner members in cluster';
    if (this.members.some(({ runs }) => !runs)) return 'etcdserver: re-configuration failed due to not enough started members';
    return undefined;
  }

  get voters(): string[] {
    return this.members.filter(({ voting }) => voting).map(({ address }) => address);
  }

  /** Whether etcd has a quorum: without one, no API server answers. */
  get decides(): boolean {
    const voters = this.members.filter(({ voting }) => voting);
    return voters.filter(({ runs }) => runs).length > voters.length / 2;
  }

  #elect(): void {
    const able = this.members.filter(({ voting, runs }) => voting && runs);
    if (able.some(({ address }) => address === this.leader) && this.decides) return;
    this.leader = this.decides ? able[0]?.address : undefined;
  }

  #crictl({ machine, command }: FakeCall): FakeReply {
    const here = this.#addressOf.get(machine.resourceId) ?? '';
    if (this.withoutRuntime.has(here)) return failed('FATA[0000] validate service connection: connect: connection refused');
    if (this.members.every(({ address, runs }) => address !== here || !runs)) return failed('no etcd runs here');
    const [inContainerd = ''] = command.split('; elif ');
    const words = inContainerd.slice(inContainerd.indexOf('--endpoints=')).replaceAll("'", '').split(' ');
    const endpoints = (words[0] ?? '').replace('--endpoints=', '').split(',');
    const [first, second, third = ''] = words.slice(1);
    if (first === 'endpoint') return this.#status(endpoints, here);
    if (!this.decides) return failed('{"level":"warn"}\nError: context deadline exceeded');
    if (first === 'move-leader') return this.#move(endpoints, second ?? '');
    if (first === 'member' && second === 'list') return { stdout: this.#list() };
    if (first === 'member' && second === 'remove') return this.#removal(third);
    return failed(`unknown command ${words.join(' ')}`);
  }

  #list(): string {
    const members = this.members.map(({ id, address, voting, announcedOnly }) => {
      const started = announcedOnly ? '' : `"name":"m-${address}","clientURLs":["${clientUrl(address)}"],`;
      return `{"ID":${id},${started}"peerURLs":["https://${address}:2380"]${voting ? '' : ',"isLearner":true'}}`;
    });
    return `{"header":{"cluster_id":15875391935852295136},"members":[${members.join(',')}]}\n`;
  }

  #status(endpoints: readonly string[], here: string): FakeReply {
    const found = endpoints.map((url) => this.#at(url, here));
    const leader = this.members.find(({ address }) => address === this.leader)?.id;
    const says = found.flatMap((member) =>
      member?.runs === true
        ? [`{"Endpoint":"","Status":{"header":{"member_id":${member.id}}${leader === undefined ? '' : `,"leader":${leader}`}}}`]
        : [],
    );
    return {
      status: says.length === endpoints.length ? 0 : 1,
      stdout: `[${says.join(',')}]\n`,
      stderr: 'context deadline exceeded',
    };
  }

  #move(endpoints: readonly string[], heir: string): FakeReply {
    if (!endpoints.some((url) => this.#at(url, '')?.address === this.leader))
      return failed(`Error: no leader endpoint found at ${endpoints.join()}`);
    if (this.stubborn) return failed('Error: etcdserver: request timed out, leader transfer took too long');
    const to = this.members.find(({ id, voting, runs }) => id.toString(16) === heir && voting && runs);
    if (to === undefined) return failed('Error: etcdserver: bad leader transferee');
    return { effect: () => void (this.leader = to.address) };
  }

  #removal(id: string): FakeReply {
    const at = this.members.findIndex((member) => member.id.toString(16) === id);
    if (at < 0) return failed('Error: etcdserver: member not found');
    return {
      effect: () => {
        this.members.splice(at, 1);
        this.#elect();
      },
    };
  }

  #at(url: string, here: string): FakeMember | undefined {
    return this.members.find(
      ({ address }) => url === clientUrl(address === here && url.includes('127.0.0.1') ? '127.0.0.1' : address),
    );
  }
}

const clientUrl = (address: string): string => `https://${address}:2379`;
/** crictl adds its own line where a program fails. */
const failed = (stderr: string): FakeReply => ({
  status: 1,
  stderr: `${stderr}\ntime="2026-11-23T08:52:13Z" level=fatal msg="execing command in container 1f: command terminated with exit code 1"\n`,
});
