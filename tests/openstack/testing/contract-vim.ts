import { randomUUID } from 'node:crypto';
import { seconds, type Duration } from '@windlass/foundation';
import { OpenStack, type PollPause, type StackRef, type StackWait, type VimConnection } from '@windlass/openstack';

/** An OpenStack under the contract: the emulator or a real one. Its project has `net0`, image `cirros` and flavor `m1.tiny`. */
export interface ContractVim {
  connection: VimConnection;
  /** The limit for one change by Heat. */
  within: Duration;
  /** How often to look; our usual pauses by default. */
  poll?: PollPause;
  /** Slows the next work on a stack. A real Heat is slow by itself. */
  hold?(stackName: string, lasting: Duration): void;
  /** Slows the next stop or start of a server. A real Nova is slow by itself. */
  holdPower?(): void;
  close(): Promise<void>;
}

/** The state that the parts of the contract share, set before the first part and cleared after the last. */
export class ContractRun {
  /** A tag that tells this run's resources from others in the same project. */
  readonly tag = `contract-${randomUUID().slice(0, 8)}`;
  #vim: ContractVim | undefined;
  #openStack: OpenStack | undefined;

  async begin(start: () => Promise<ContractVim>): Promise<void> {
    this.#vim = await start();
    this.#openStack = OpenStack.open(this.#vim.connection);
    // Where there is no OpenStack, this fails once, in the place of every test.
    await this.#openStack.session.token();
  }

  /** Deletes what this run has made, also after failed tests. */
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

/** A stack that a test makes and later tests use. */
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
