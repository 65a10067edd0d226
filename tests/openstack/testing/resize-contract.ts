import { randomUUID } from 'node:crypto';
import { InvariantError, millis, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { infraActions, openCluster, SCRIPT_SETTINGS, VimSessions } from '@windlass/infra-driver';
import { operationTag, vnfTag, type ResizeStackInput, type SurveyStackOutput, type VimAccess } from '@windlass/lifecycle';
import { readInventory, waitForDeletion, waitForStack, type GroupMember } from '@windlass/openstack';
import { Present, type BoundAction, type StepRun } from '@windlass/saga';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Made, type ContractRun } from './contract-vim.js';
import { groupFiles, groupParameters, groupTemplate } from './templates.js';

const GROUP = 'worker_instance';

const nameOf = (given: string | { id: string } = 'Default'): string => {
  if (typeof given === 'string') return given;
  throw new InvariantError('the contract names domains and projects by their names');
};

/** Tests scaling by the infra-driver's own actions: out, in, rolled back, and with a worker that dies in the middle. The tests build on each other. */
export function resizeContract(run: ContractRun): void {
  const stack = new Made();
  const vnfInstanceId = randomUUID();
  const sessions = new VimSessions(undefined);
  let actions: Map<string, BoundAction>;
  const members = async (): Promise<GroupMember[]> =>
    (await readInventory(run.openStack, stack.ref)).groups.flatMap((group) => group.members);
  const names = async (): Promise<string[]> => (await members()).map(({ name }) => name);

  beforeAll(() => {
    const settings = {
      stackWithin: run.wait.within,
      absentFor: seconds(5),
      objectsWithin: seconds(5),
      imageMovesWithin: seconds(60),
      ...SCRIPT_SETTINGS,
    };
    const noPackages = { open: () => { throw new InvariantError('no package is read here'); } }; // prettier-ignore
    actions = new Map(infraActions(sessions, noPackages, settings, openCluster(undefined)).map((action) => [action.key, action]));
  });
  afterAll(() => sessions.close());

  const vim = (): VimAccess => {
    const { authUrl, region, credentials } = run.connection;
    if (credentials.kind !== 'password') throw new InvariantError('the contract runs with a password');
    return {
      connectionId: 'contract',
      authUrl,
      ...(region === undefined ? {} : { region }),
      username: credentials.username,
      password: credentials.password.reveal(),
      userDomainName: nameOf(credentials.userDomain),
      projectName: nameOf(credentials.project),
      projectDomainName: nameOf(credentials.projectDomain),
      verifyTls: true,
    };
  };
  const update = (workers: number, last: string) => ({
    template: groupTemplate,
    files: groupFiles,
    parameters: groupParameters(workers),
    tags: ['windlass', run.tag, vnfTag(vnfInstanceId), last],
    timeoutMinutes: 10,
  });
  interface Size {
    workers: number;
    leaving?: string[];
    before?: { workers: number; staying: string[] };
  }
  const inputOf = (operationId: string, { workers, leaving = [], before }: Size): ResizeStackInput => ({
    vim: vim(),
    vnfInstanceId,
    stack: stack.ref,
    wanted: {
      update: update(workers, operationTag(operationId)),
      sizes: { [GROUP]: workers },
      leaving: leaving.map((member) => ({ group: GROUP, member })),
    },
    earlier:
      before === undefined
        ? null
        : {
            update: update(before.workers, `windlass-undo-${operationId}`),
            sizes: { [GROUP]: before.workers },
            staying: before.staying.map((member) => ({ group: GROUP, member })),
          },
  });
  const runOf = (operationId: string, input: object, signal = new AbortController().signal): StepRun => ({
    operationId,
    stepId: 'resize-stack',
    epoch: 1,
    attempt: 1,
    attemptEpoch: 1,
    resumed: false,
    phase: 'do',
    target: null,
    tenant: 'contract',
    input: input as JsonObject,
    signal,
    assertLease: () => signal.throwIfAborted(),
    leaseLeft: () => seconds(60),
    onlyWaits: () => undefined,
    progress: () => undefined,
  });
  const action = (name: string): BoundAction => {
    const found = actions.get(`${name}@1`);
    if (found === undefined) throw new InvariantError(`the infra-driver has no action ${name}`);
    return found;
  };
  const resize = (operationId: string, size: Size, signal?: AbortSignal) =>
    action('resize-stack').apply(runOf(operationId, inputOf(operationId, size), signal));

  describe('a stack that is scaled by the infra-driver', () => {
    const scaleOut = randomUUID();
    const broken = randomUUID();

    it('grows to the wanted size, keeps its members, and says so when it is looked at again', async () => {
      stack.set(
        await run.openStack.heat.createStack({
          name: run.name('resized'),
          template: groupTemplate,
          files: groupFiles,
          parameters: groupParameters(1),
          tags: [run.tag, vnfTag(vnfInstanceId)],
        }),
      );
      await waitForStack(run.openStack.heat, stack.ref, 'CREATE', run.wait);
      const before = await names();
      const input = inputOf(scaleOut, { workers: 2 });
      await expect(action('resize-stack').check?.({ ...runOf(scaleOut, input), epoch: 2 })).resolves.toBe(false);
      await action('resize-stack').apply(runOf(scaleOut, input));
      const after = await names();
      expect(after).toHaveLength(2);
      expect(after).toEqual(expect.arrayContaining(before));
      await expect(action('resize-stack').check?.({ ...runOf(scaleOut, input), epoch: 2 })).resolves.toBeInstanceOf(Present);
    });

    it('is surveyed with its groups and the state of their members', async () => {
      const input = {
        vim: vim(),
        vnfInstanceId,
        stack: stack.ref,
        flavour: { id: 'f', vdus: [], cps: [], virtualLinks: [], scalingAspects: [] },
        request: { flavourId: 'f' },
      };
      const found = (await action('survey-stack').apply(runOf(scaleOut, input))) as unknown as SurveyStackOutput;
      expect(found.groups.map(({ name }) => name)).toEqual([GROUP]);
      expect(found.groups[0]?.members.map(({ name, failed }) => [name, failed])).toEqual(
        (await names()).map((name) => [name, false]),
      );
    });

    it('is not updated a second time by the successor of a worker that died once it had asked', async () => {
      const dying = new AbortController();
      const attempt = resize(broken, { workers: 3 }, dying.signal);
      await waitUntil(
        async () => (await run.openStack.heat.getStack(stack.ref))?.tags.includes(operationTag(broken)) === true || undefined,
        { for: 'the update of the first worker', within: run.wait.within, every: millis(5) },
      );
      dying.abort(new Error('killed'));
      await expect(attempt).rejects.toThrow();
      await resize(broken, { workers: 3 });
      expect(await names()).toHaveLength(3);
      const begun = (await run.openStack.heat.events(stack.ref)).filter(
        ({ resourceName, status }) => resourceName === stack.ref.name && status === 'UPDATE_IN_PROGRESS',
      );
      expect(begun).toHaveLength(2);
    });

    it('goes back to the members that it had, whichever they are', async () => {
      const [first, second, third] = await names();
      const before = { workers: 2, staying: [first ?? '', third ?? ''] };
      const input = inputOf(broken, { workers: 3, before });
      await action('resize-stack').undo?.(runOf(broken, input));
      expect(await names()).toEqual([first, third]);
      expect(second).toBeDefined();
      await action('resize-stack').undo?.(runOf(broken, input));
      expect(await names()).toEqual([first, third]);
    });

    it('shrinks by the member that was chosen, and takes back the mark of an operation that was left', async () => {
      const [older, newer] = await members();
      await run.openStack.heat.markUnhealthy(
        older?.groupStack ?? stack.ref,
        older?.name ?? '',
        `windlass: leaves by scaling, operation ${randomUUID()}`,
      );
      const servers = async (): Promise<Map<string | undefined, string | undefined>> =>
        new Map(
          (await readInventory(run.openStack, stack.ref)).servers.map(({ place, physicalId }) => [
            place.member?.name,
            physicalId,
          ]),
        );
      const kept = (await servers()).get(older?.name);
      await resize(randomUUID(), { workers: 1, leaving: [newer?.name ?? ''] });
      expect(await names()).toEqual([older?.name]);
      expect((await servers()).get(older?.name)).toBe(kept);
    });

    it('is not touched by the undo of an update that was never asked for', async () => {
      const before = (await run.openStack.heat.getStack(stack.ref))?.tags;
      const operationId = randomUUID();
      const input = inputOf(operationId, { workers: 2, before: { workers: 1, staying: await names() } });
      await action('resize-stack').undo?.(runOf(operationId, input));
      expect((await run.openStack.heat.getStack(stack.ref))?.tags).toEqual(before);
      await run.openStack.heat.deleteStack(stack.ref);
      await waitForDeletion(run.openStack.heat, stack.ref, run.wait);
    });
  });
}
