import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { seconds, TerminalError, type Json } from '@windlass/foundation';
import { schemaFaults, type Hook } from '@windlass/mgmt-driver';
import { privateKeyFault } from '@windlass/remote-host';
import { LeaseEnded, type CompiledStep, type StepRun } from '@windlass/saga';
import type { Executable } from '../driver-process.js';
import { ExecutableDriver } from '../executable-driver.js';
import { requestOf, type Example } from './example.js';
import { tryGarbage } from './garbage.js';
import { hostileExamples } from './hostile.js';
import { tried, type Tried } from './tried.js';
import { TrialMachines } from './trial-machines.js';
import { TrialPlan } from './trial-plan.js';

/** How long a script takes in the trial of a slow machine. */
const SLOW = seconds(1);
/** A driver that says and asks nothing is stopped after so long in the trials that stop it. */
const SAYS_NOTHING = seconds(0.5);
/** A driver that heeds a cancel ends before it is sent SIGTERM. */
const HEEDS_WITHIN = seconds(4);

/** Holds a driver's executable to the contract. What can't go on after a failure is left out. */
export async function* tryDriver(executable: Executable, example: Example): AsyncGenerator<Tried> {
  let driver: ExecutableDriver | undefined;
  yield await tried('describe: it says what it is, the same each time', async () => {
    driver = await ExecutableDriver.of(executable);
    const again = await ExecutableDriver.of(executable);
    if (!isDeepStrictEqual(driver.description, again.description)) throw wrong('it said something else when it was asked again');
  });
  if (driver === undefined) return;
  yield* tryQuestions(driver, example);
  yield* tryGarbage(executable, driver, example);
  for (const hook of driver.describe().hooks) yield* tryHook(driver, hook, example);
}

async function* tryQuestions(driver: ExecutableDriver, example: Example): AsyncGenerator<Tried> {
  const description = driver.describe();
  yield await tried('parameters: its schema takes the example', () => {
    const faults = schemaFaults(description.parameters, example.additionalParams, privateKeyFault);
    if (faults.length > 0) throw wrong(faults.map(({ path, reason }) => `${path} ${reason}`).join('; '));
    return Promise.resolve();
  });
  yield await tried('validate: it takes the example', async () => {
    const { invalidParams, refusal } = await driver.validate(requestOf(example, description));
    if (refusal !== undefined) throw wrong(`it refuses it: ${refusal.detail}`);
    if (invalidParams.length > 0) throw wrong(invalidParams.map(({ path, reason }) => `${path} ${reason}`).join('; '));
  });
}

async function* tryHook(driver: ExecutableDriver, hook: Hook, example: Example): AsyncGenerator<Tried> {
  let plan: TrialPlan | undefined;
  yield await tried(`${hook}: its plan is within its bounds, and the same each time`, async () => {
    plan = await TrialPlan.of(driver, hook, example);
  });
  if (plan === undefined) return;
  for (const step of plan.steps.filter(({ service }) => service === driver.describe().service)) yield* tryStep(plan, step, hook);
  yield await tried(`${hook}: hostile plan: parameters with quotes, commands and references in them do no harm`, () =>
    tryHostile(driver, hook, example),
  );
}

async function* tryStep(plan: TrialPlan, step: CompiledStep, hook: Hook): AsyncGenerator<Tried> {
  const name = `${hook}: ${step.id.replace(/^hook\//, '')}`;
  const first = await tried(`${name}: run`, async () => {
    const output = await perform(plan, step);
    if (output !== undefined) plan.outputs.set(step.id, output);
  });
  yield first;
  if (first.wrong !== undefined) return;
  yield await tried(`${name}: duplicate: run again, it gives the same`, async () => {
    const again = await perform(plan, step, { epoch: 2, attemptEpoch: 2, attempt: 2 });
    if (!isDeepStrictEqual(again, plan.outputs.get(step.id)))
      throw wrong(`it gave ${JSON.stringify(again)} after ${JSON.stringify(plan.outputs.get(step.id))}`);
  });
  yield await tried(`${name}: kill: killed at what it says first, and run again, it ends well`, async () => {
    await stopped(plan, step, 'lease-lost');
    await perform(plan, step, { epoch: 2, resumed: true });
  });
  yield await tried(`${name}: stale epoch: when another has its step, it asks for nothing more`, async () => {
    const { machines, asked } = await stopped(plan, step, 'lease-lost');
    if (machines.scripts.length > asked) throw wrong('it had a script run after the lease was lost');
  });
  yield await tried(`${name}: cancel: it ends by itself`, async () => {
    const { took } = await stopped(plan, step, 'cancelled');
    if (took >= HEEDS_WITHIN) throw wrong(`it did not end within ${HEEDS_WITHIN / 1_000} s of {"tell":"cancel"}`);
  });
  yield await tried(`${name}: slow: a machine that takes its time is waited for`, async () => {
    await perform(plan, step, {}, () => new Promise((resolve) => setTimeout(resolve, SLOW)));
  });
  if (plan.action(step).undo)
    yield await tried(`${name}: undo: after it was done, once more, and when it was killed half-way`, async () => {
      await perform(plan, step, { phase: 'undo', epoch: 3 });
      await perform(plan, step, { phase: 'undo', epoch: 4 });
      await stopped(plan, step, 'lease-lost');
      await perform(plan, step, { phase: 'undo', epoch: 5 });
    });
}

/** Runs a step to its end. */
async function perform(
  plan: TrialPlan,
  step: CompiledStep,
  claim: Partial<StepRun> = {},
  before?: () => Promise<void>,
): Promise<Json | undefined> {
  const run = plan.runOf(step, claim);
  return plan.driver.perform(plan.action(step), run, new TrialMachines(run.input, before));
}

/** Runs a step until it says or asks something for the first time, and stops it there for that reason. */
async function stopped(plan: TrialPlan, step: CompiledStep, reason: 'lease-lost' | 'cancelled') {
  const stop = new AbortController();
  let [asked, began] = [0, 0];
  const end = (): void => {
    if (stop.signal.aborted) return;
    asked = machines.scripts.length;
    began = performance.now();
    stop.abort(new LeaseEnded(reason));
  };
  const run = plan.runOf(step, { signal: stop.signal, progress: end });
  const machines = new TrialMachines(run.input, () => {
    end();
    return Promise.reject(stop.signal.reason as Error);
  });
  const timer = setTimeout(end, SAYS_NOTHING);
  try {
    await plan.driver.perform(plan.action(step), run, machines);
  } catch (error) {
    if (!(error instanceof LeaseEnded)) throw error;
  } finally {
    clearTimeout(timer);
  }
  return { machines, asked, took: stop.signal.aborted ? performance.now() - began : 0 };
}

/** Values belong into arguments and files: what a client sends is never part of a script's text. */
async function tryHostile(driver: ExecutableDriver, hook: Hook, example: Example): Promise<void> {
  const { parameters } = driver.describe();
  const path = join(tmpdir(), `windlass-was-here-${randomUUID()}`);
  for (const hostile of hostileExamples(example, path)) {
    if (schemaFaults(parameters, hostile.additionalParams, privateKeyFault).length > 0) continue; // its schema keeps it out
    const plan = await TrialPlan.of(driver, hook, hostile);
    for (const step of plan.steps) {
      const run = plan.runOf(step);
      const machines = new TrialMachines(run.input);
      const output = await driver.perform(plan.action(step), run, machines);
      if (output !== undefined) plan.outputs.set(step.id, output);
      const bad = machines.scripts.find(({ text }) => text.includes(path));
      if (bad !== undefined)
        throw wrong(`the text of script ${bad.name} has a value of the request in it: give it in "arguments" or "files"`);
    }
  }
  if (!existsSync(path)) return;
  await rm(path);
  throw wrong('it took a value of the request for a command of its own, and ran it');
}

const wrong = (what: string): TerminalError => new TerminalError('driver.contract', what);
