import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { OPERATIONS } from '@windlass/lifecycle';
import { collectLedger, collectPending, collectRecords, collectSecretsSeen, vimContents, watchClaims } from './judge/collect.js';
import type { Aftermath, Evidence, VimContents } from './judge/evidence.js';
import { processesOf } from './judge/processes.js';
import { Monkey } from './monkey/monkey.js';
import { Random } from './random.js';
import { RunLog } from './run-log.js';
import type { ChaosRun } from './sizes.js';
import { chaosPackage } from './stage/chaos-package.js';
import { Stage } from './stage/stage.js';
import { LEASE } from './stage/lease.js';
import { ChaosClient } from './workload/chaos-client.js';
import { Customer, type WorkloadContext } from './workload/customer.js';

/**
 * How long an operation may take after the last strike: the lease of a lost worker, the longest pause before a lost wake-up is sent again
 * (30 s), and the operation's own work, with retries by policy, on a busy machine.
 */
export const SETTLE_WITHIN = seconds(LEASE / 1_000 + 30 + 60);
/** When no operation has moved for so long under fire, the run ends: nothing would move any more. */
const STILL_WITHIN = seconds(300);
/** The limit for the clean-up in the VIM, which goes on after the answer to the deletion. */
const CLEAN_WITHIN = seconds(60);

export interface RunResult {
  evidence: Evidence;
  aftermath: Aftermath;
  figures: Record<string, number | string>;
}

/** One run: the workload under fire, the settling, the collection of evidence, and the removal of all instances. */
export class Run {
  readonly accepted: Evidence['accepted'] = [];
  readonly unfinished: string[] = [];
  readonly passwords: string[] = [];
  readonly #given = new AbortController();
  readonly #log: RunLog;
  #left: number;
  #movedAt = Date.now();
  #ceasedAt: number | undefined;

  private constructor(
    private readonly stage: Stage,
    private readonly run: ChaosRun,
    private readonly monkey: Monkey,
    private readonly vimBefore: VimContents,
  ) {
    this.#left = run.size.operations;
    this.#log = new RunLog(join(stage.results, 'workload.log'));
  }

  /** Carries the run out on a stage of its own, which ends with the run. */
  static async carryOut(run: ChaosRun, results: string): Promise<RunResult> {
    const stage = await Stage.start(results);
    let closed = false;
    try {
      const vimBefore = vimContents(stage.emulator);
      await watchClaims(stage);
      const monkey = new Monkey(stage, run.seed, join(results, 'monkey.log'));
      const { evidence, notGone, figures } = await new Run(stage, run, monkey, vimBefore).#go();
      const vim = vimContents(stage.emulator);
      await stage.close();
      closed = true;
      const aftermath = { vim, vimBefore, notGone, processes: processesOf([stage.folder, results]) };
      return { evidence, aftermath, figures };
    } finally {
      if (!closed) await stage.close();
    }
  }

  async #go(): Promise<{ evidence: Evidence; notGone: string[]; figures: RunResult['figures'] }> {
    const workload = await this.#openWorkload();
    const { seed, size } = this.run;
    const customers = Array.from({ length: size.instances }, (_, n) => {
      const name = `chaos-${n + 1}`;
      return new Customer(workload, name, Random.of(seed, name));
    });
    const begun = Date.now();
    const work = Promise.all(customers.map((customer) => customer.work()));
    this.monkey.start();
    await this.#ceaseFire(work);
    await this.stage.ready(SETTLE_WITHIN);
    await work;
    const pending = await this.#settleInternals();
    const figures = {
      'operations accepted': this.accepted.length,
      strikes: this.monkey.struck,
      'seconds under fire': Math.round(((this.#ceasedAt ?? begun) - begun) / 1_000),
      'seconds to settle': Math.round((Date.now() - (this.#ceasedAt ?? begun)) / 1_000),
    };
    const evidence = await this.#evidence(pending);
    await writeFile(join(this.stage.results, 'evidence.json'), JSON.stringify(evidence, undefined, 1));
    return { evidence, notGone: await this.#takeAway(customers), figures };
  }

  async #openWorkload(): Promise<WorkloadContext> {
    const { stage } = this;
    const file = await chaosPackage(stage.folder);
    const { vnfdId } = await stage.api.onboard(file);
    return {
      client: new ChaosClient(stage.url, stage.secrets.token, this.#given.signal),
      emulator: stage.emulator,
      log: this.#log,
      vnfdId: String(vnfdId),
      networkId: 'net0',
      available: new Set(OPERATIONS.all.map(({ operation }) => operation)),
      take: () => {
        if (this.#left === 0 || this.#ceasedAt !== undefined) return false;
        this.#left -= 1;
        return true;
      },
      moved: () => (this.#movedAt = Date.now()),
      overdue: () => this.#ceasedAt !== undefined && Date.now() - Math.max(this.#ceasedAt, this.#movedAt) > SETTLE_WITHIN,
      accepted: this.accepted,
      unfinished: this.unfinished,
      passwords: this.passwords,
    };
  }

  /** Waits until the operations are used up or nothing has moved for too long, and ends the fire. */
  async #ceaseFire(work: Promise<unknown>): Promise<void> {
    const broken = new AbortController();
    work.catch(() => broken.abort());
    const limit = this.run.size.withinMinutes * 60_000;
    const begun = Date.now();
    const why = await waitUntil(
      () => {
        if (this.#left === 0) return Promise.resolve('all operations were asked for');
        if (broken.signal.aborted) return Promise.resolve('a customer failed');
        if (Date.now() - this.#movedAt > STILL_WITHIN) return Promise.resolve('nothing moves');
        return Promise.resolve(Date.now() - begun > limit ? 'the time is up' : undefined);
      },
      { for: 'the operations to be used up', within: seconds(limit / 1_000 + 60), every: seconds(0.2) },
    );
    await this.monkey.stop(why);
    this.#ceasedAt = Date.now();
    this.stage.emulator.faults.clear();
    this.#log.write(`the fire has ceased: ${why}`);
  }

  /** Waits for the clean-ups and refreshes that follow failed operations. Returns those that have not ended. */
  async #settleInternals(): Promise<Evidence['pending']> {
    const { stage } = this;
    await waitUntil(
      async (seen) => {
        const pending = await collectPending(stage);
        seen(JSON.stringify(pending));
        return pending.length === 0 ? true : undefined;
      },
      { for: 'clean-ups and refreshes to end', within: SETTLE_WITHIN, every: seconds(0.5) },
    ).catch((error: unknown) => this.#log.write(String(error)));
    return collectPending(stage);
  }

  async #evidence(pending: Evidence['pending']): Promise<Evidence> {
    const { stage, vimBefore, accepted, unfinished } = this;
    const passwords = Object.fromEntries(this.passwords.map((password, n) => [`the ${n + 1}th password of a request`, password]));
    return {
      seed: this.run.seed,
      accepted: [...accepted],
      unfinished: [...unfinished],
      pending,
      ...(await collectRecords(stage)),
      ledger: await collectLedger(stage),
      vim: vimContents(stage.emulator),
      vimBefore,
      secretsSeen: await collectSecretsSeen(stage, { ...stage.allSecrets, ...passwords }),
    };
  }

  /** Terminates and deletes all instances. Returns the ids of those that remained. */
  async #takeAway(customers: readonly Customer[]): Promise<string[]> {
    this.#ceasedAt = Date.now();
    const gone = await Promise.all(customers.map((customer) => customer.leave()));
    const count = ({ insteadOf: _alias, ...contents }: VimContents): number =>
      Object.values(contents as unknown as JsonObject).flat().length;
    const clean = (): true | undefined => (count(vimContents(this.stage.emulator)) <= count(this.vimBefore) ? true : undefined);
    // The judge names what is left after that.
    await waitUntil(() => Promise.resolve(clean()), {
      for: 'the VIM to be clean',
      within: CLEAN_WITHIN,
      every: seconds(0.5),
    }).catch((error: unknown) => this.#log.write(String(error)));
    return customers.filter((_, n) => gone[n] !== true).map(({ vnfInstanceId }) => vnfInstanceId);
  }
}
