import {
  minutes,
  seconds,
  TerminalError,
  TransientError,
  waitUntil,
  type Duration,
  type WindlassError,
} from '@windlass/foundation';
import type { Host } from '@windlass/mgmt-driver';
import { LivingMasters, ofThisMachine, type Master, type SilentMachines } from '@windlass/driver-kit';
import { etcdctl, OWN_ETCD } from './etcdctl.js';
import { clientUrlsOf, membersOf, type EtcdMember } from './members.js';
import { mayBeReplaced, mayLeave, mayLeaveInTurn, type Verdict } from './quorum.js';

const LOOK = seconds(60);

/** An election takes a second or two, and a member's start some more. Until this time is over, a member that does not answer is asked again. */
const ELECTION = seconds(20);

/** What was done so that a member left. */
export interface Leaving {
  /** Sentences, in order. */
  did: string[];
  /** What did not go as it should, and was not needed. */
  notes: string[];
}

export interface EtcdOptions {
  progress?: (line: string) => void;
  /** How long a member that does not answer may take to answer again before it counts as silent. */
  patience?: Duration;
  /** What is known of the machines: those that did not answer lately are asked last. */
  silent?: SilentMachines;
}

/** A cluster's etcd, asked through any of its masters that lives and has a member. */
export class Etcd {
  readonly #progress: (line: string) => void;
  readonly #masters: LivingMasters;
  /** How long a member that does not answer may take to answer again before it counts as silent. */
  readonly patience: Duration;

  constructor(
    private readonly seats: readonly Master[],
    private readonly options: EtcdOptions = {},
  ) {
    const { progress = () => undefined, patience = ELECTION, silent } = options;
    this.#progress = progress;
    this.patience = patience;
    this.#masters = new LivingMasters(seats, silent);
  }

  /** The members as they are now. @throws TransientError `etcd.no-answer`, saying what each master said */
  async members(): Promise<EtcdMember[]> {
    return (await this.#asked()).members;
  }

  /** The member at an address; undefined where there is none. */
  async memberAt(address: string): Promise<EtcdMember | undefined> {
    return (await this.members()).find((member) => member.address === address);
  }

  /**
   * Whether masters may leave one after another: for good, or to be replaced once all have left. A member that does not answer has the time of an
   * election before the verdict is no.
   * @throws TransientError `etcd.no-answer`
   */
  async mayLeave(leaving: readonly string[], { replaced }: { replaced: boolean }): Promise<Verdict> {
    return this.#verdict((members) => (replaced ? mayBeReplaced(members, leaving) : mayLeaveInTurn(members, leaving)));
  }

  /**
   * Removes the member at an address from etcd, where there is one: dead or alive, learner or leader. The member's own node is not asked.
   * @throws TerminalError `etcd.quorum` when it may not leave; TransientError `etcd.no-answer`, `etcd.refused`
   */
  async leave(address: string): Promise<Leaving> {
    const others = this.seats.filter((seat) => seat.address !== address);
    return new Etcd(others, this.options).#leave(address);
  }

  async #leave(address: string): Promise<Leaving> {
    const done: Leaving = { did: [], notes: [] };
    const member = await this.memberAt(address);
    if (member === undefined) return { ...done, did: [`etcd had no member at ${address}`] };
    const { may, why } = await this.#verdict((members) => mayLeave(members, [address]));
    if (!may) throw new TerminalError('etcd.quorum', why);
    await this.#moveLeader(address, done);
    await this.#remove(member);
    done.did.push(`the ${member.voting ? 'member' : 'learner'} at ${address} was taken out of etcd: ${why}`);
    for (const line of done.did) this.#progress(line);
    return done;
  }

  async #verdict(of: (members: readonly EtcdMember[]) => Verdict): Promise<Verdict> {
    // The patience begins with the first answer: to find a master that answers may have taken a while.
    let until: number | undefined;
    return waitUntil(
      async () => {
        const verdict = of(await this.members());
        until ??= performance.now() + this.patience;
        return verdict.may || performance.now() >= until ? verdict : undefined;
      },
      {
        for: 'etcd to say who answers',
        within: minutes(3),
        every: seconds(0.2),
        growth: 1.5,
        atMost: seconds(5),
        ...this.#signal,
      },
    );
  }

  /**
   * Has a leader hand over before it leaves, because a leader that just stops costs the time of an election. Only the leader itself can hand over.
   */
  async #moveLeader(address: string, done: Leaving): Promise<void> {
    const { members, seat } = await this.#asked();
    const leader = members.find((member) => member.address === address && member.leads);
    const heir = members.find((member) => member.address !== address && member.voting && member.healthy);
    if (leader === undefined || heir === undefined) return;
    const result = await seat.host.job(`move-etcd-leader-to-${heir.id}`, {
      run: etcdctl(leader.clientUrls, ['move-leader', heir.id]),
      within: LOOK,
      okStatuses: ANY_STATUS,
    });
    if (result.status === 0) {
      done.did.push(`etcd's leader was moved from ${address} to ${heir.address}`);
      return;
    }
    // Its removal ends its leadership all the same.
    done.notes.push(`etcd's leader at ${address} did not hand over to ${heir.address}: ${lastLine(result.stderrTail)}`);
  }

  async #remove({ id, address }: EtcdMember): Promise<void> {
    const { seat } = await this.#asked();
    const result = await seat.host.job(`remove-etcd-member-${id}`, {
      run: etcdctl(OWN_ETCD, ['member', 'remove', id]),
      within: LOOK,
      okStatuses: ANY_STATUS,
    });
    // The member may be removed although the answer did not arrive.
    const gone = await waitUntil(
      async (seen) => {
        const members = await this.members();
        seen(result.status === 0 ? 'etcd says that it removed it' : lastLine(result.stderrTail));
        if (members.some((member) => member.id === id)) return result.status === 0 ? undefined : false;
        return members.some(({ leads }) => leads) ? true : undefined;
      },
      { for: `etcd to do without its member at ${address}`, within: LOOK, every: seconds(0.5), growth: 1.5, ...this.#signal },
    );
    if (gone) return;
    throw new TransientError('etcd.refused', `etcd did not let its member at ${address} go: ${lastLine(result.stderrTail)}`);
  }

  /** The first master that answers, and its answer. The master that answered last is asked first. */
  async #asked(): Promise<{ seat: Master; members: EtcdMember[] }> {
    const whys: string[] = [];
    const ask = async (seat: Master): Promise<{ seat: Master; members: EtcdMember[] } | undefined> => {
      try {
        return { seat, members: await membersThrough(seat.host) };
      } catch (error) {
        if (!isWorthAnother(error)) throw error;
        whys.push(`${seat.address}: ${error.message}`);
        // `Masters.ask` remembers a machine that did not answer, for later questions.
        if (ofThisMachine(error)) throw error;
        return undefined;
      }
    };
    const answer = await this.#masters.ask(ask).catch((error: unknown) => {
      if (!ofThisMachine(error)) throw error;
      return undefined;
    });
    if (answer !== undefined) return answer;
    const asked = this.seats.length === 0 ? 'no other master is there to be asked' : whys.join('; ');
    throw new TransientError(
      'etcd.no-answer',
      `etcd does not say who its members are, which it does while it has a quorum (${asked})`,
    );
  }

  get #signal(): { signal?: AbortSignal } {
    const signal = this.seats[0]?.host.signal;
    return signal === undefined ? {} : { signal };
  }
}

/** etcdctl exits with 1 for each failure, crictl with codes of its own. */
const ANY_STATUS = Array.from({ length: 256 }, (_, status) => status);

/** Whether it is worth asking another master. */
const isWorthAnother = (error: unknown): error is WindlassError =>
  ofThisMachine(error) || (error instanceof TransientError && error.code === 'etcd.no-answer');

async function membersThrough(host: Host): Promise<EtcdMember[]> {
  const list = await host.run(etcdctl(OWN_ETCD, ['member', 'list', '--write-out=json']), LOOKING);
  if (list.status !== 0) throw new TransientError('etcd.no-answer', lastLine(list.stderr));
  const urls = clientUrlsOf(list.stdout);
  // etcdctl prints what it learnt, and fails where any member did not answer.
  const status = await host.run(etcdctl(urls, ['endpoint', 'status', '--write-out=json']), LOOKING);
  return membersOf(list.stdout, status.stdout);
}

const LOOKING: { within: Duration; sudo: true; expect: 'any' } = { within: LOOK, sudo: true, expect: 'any' };

/** The last line of etcdctl or crictl that is no log line; their last line where all are. */
function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  const said = lines.filter((line) => !/^(time=|FATA\[|\{"level":)/.test(line));
  return (said.at(-1) ?? lines.at(-1) ?? '').slice(0, 300);
}
