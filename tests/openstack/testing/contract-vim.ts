import { randomUUID } from 'node:crypto';
import { seconds, type Duration } from '@windlass/foundation';
import { OpenStack, type PollPause, type StackRef, type StackWait, type VimConnection } from '@windlass/openstack';

/** An OpenStack to hold to the contract: the emulator or a real one. Its project has `net0`, image `cirros` and flavor `m1.tiny`. */
export interface ContractVim {
  connection: VimConnection;
  /** Longest that Heat may take for one change. */
  within: Duration;
  /** How often to look; our usual pauses where it is absent. */
  poll?: PollPause;
  /** Has the next work on the stack of that name take long. A real Heat takes its time by itself. */
  hold?(stackName: string, lasting: Duration): void;
  /** Has the next stop or start of a server take a while. A real Nova takes its time by itself. */
  holdPower?(): void;
  close(): Promise<void>;
}

/** What the parts of the contract share. Filled before the first of them runs, emptied after the last. */
export class ContractRun {
  /** Distinguishes this run's things from others' in the same project. */
  readonly tag = `contract-${randomUUID().slice(0, 8)}`;
  #vim: ContractVim | undefined;
  #openStack: OpenStack | undefined;

  async begin(start: () => Promise<ContractVim>): Promise<void> {
    this.#vim = await start();
    this.#openStack = OpenStack.open(this.#vim.connection);
    // One error instead of one a test, where there is no OpenStack.
    await this.#openStack.session.token();
  }

  /** Deletes what this run has made, whatever became of its tests. */
  async end(): Promise<void> {
    if (this.#vim === undefined || this.#openStack === undefined) return;
    try {
      await this.#sweep(this.#openStack);
    } finally {
      this.#openStack.close();
      await this.#vim.close();
    }
  }

  async #sweep({ heat, glance }: OpenStack): Promise<void> {
    const stacks = await heat.listStacks({ tags: [this.tag] });
    await Promise.all(stacks.map((stack) => heat.deleteStack(stack)));
    const images = await glance.findImages({ tag: this.tag });
    await Promise.all(images.map((image) => glance.deleteImage(image.id)));
  }

  get openStack(): OpenStack {
    if (this.#openStack === undefined) throw new Error('the run has not begun');
    return this.#openStack;
  }

  get connection(): VimConnection {
    if (this.#vim === undefined) throw new Error('the run has not begun');
    return this.#vim.connection;
  }

  /** See {@link ContractVim.hold}. */
  hold(stackName: string, lasting: Duration): void {
    this.#vim?.hold?.(stackName, lasting);
  }

  /** See {@link ContractVim.holdPower}. */
  holdPower(): void {
    this.#vim?.holdPower?.();
  }

  /** How long to wait for Heat. */
  get wait(): StackWait {
    return { within: this.#vim?.within ?? seconds(0), ...(this.#vim?.poll === undefined ? {} : { poll: this.#vim.poll }) };
  }

  name(of: string): string {
    return `${this.tag}-${of}`;
  }
}

/** A stack, once a test has made it. */
export class Made {
  #ref: StackRef | undefined;
  set(ref: StackRef): void {
    this.#ref = ref;
  }
  get ref(): StackRef {
    if (this.#ref === undefined) throw new Error('the test that makes the stack has not passed');
    return this.#ref;
  }
}
