import type { Json, JsonObject } from '@windlass/foundation';
import { outputOf, parallel, sequence, sourced, type Plan, type StepNode } from '@windlass/saga';
import { INFRA_SERVICE, type AuditVimOutput } from '../model/infra-actions.js';
import { deploymentTag } from '../model/names.js';
import { inlineStep } from '../saga/operation-saga.js';
import type { AuditFinding, AuditReport } from './audit-report.js';
import type { AuditView } from './audit-view.js';
import { compare } from './compare.js';
import type { AuditedVim, CleanUpSubject } from './internal-operation.js';
import { INTERNAL_VIM, type InternalAction, type InternalRun, type InternalSagaContext } from './internal-saga.js';

const BEFORE = 'look-before';
const listingStep = (id: string): string => `audit-vim:${id}`;

/** AUDIT: look at the database, list what the VIMs hold, look again and compare; with `fix`, begin the clean-ups of what nobody owns. */
export function auditPlan({ record }: InternalSagaContext<'AUDIT'>): Plan {
  const { vims } = record.subject;
  const listings = vims.map(({ id, name, vim: { choice } }): StepNode => ({
    kind: 'step',
    id: listingStep(id),
    action: 'audit-vim',
    version: 1,
    service: INFRA_SERVICE,
    target: name,
    limits: [`vim:${choice.vimId ?? choice.connectionId}`],
    traits: { undoable: false },
    input: {
      vim: sourced(`${INTERNAL_VIM}:${id}`),
      deploymentTag: outputOf(BEFORE, '/deploymentTag'),
      vnfInstanceIds: outputOf(BEFORE, '/vnfInstanceIds'),
    },
  }));
  const seen = { before: outputOf(BEFORE), listings: vims.map(({ id }) => outputOf(listingStep(id))) };
  return {
    root: sequence(
      inlineStep(BEFORE),
      ...(listings.length === 0 ? [] : [parallel(listings, { limit: 8 })]),
      inlineStep('compare-audit', seen as unknown as JsonObject),
    ),
  };
}

interface Before extends Pick<AuditView, 'at' | 'busy'> {
  deploymentTag: string;
  vnfInstanceIds: string[];
}

export const lookBefore: InternalAction<'AUDIT'> = async ({ tx, store }) => {
  const { at, busy, vnfs } = await store.auditView(tx.handle);
  const vnfInstanceIds = vnfs.map(({ vnfInstanceId }) => vnfInstanceId);
  const tag = deploymentTag(await store.deploymentId(tx.handle));
  return { at, busy, deploymentTag: tag, vnfInstanceIds } satisfies Before as unknown as Json;
};

export const compareAudit: InternalAction<'AUDIT'> = async (run) => {
  const { tx, store, record, input } = run;
  const before = input.before as unknown as Before;
  const report = compare({
    tenant: record.tenant,
    deploymentId: await store.deploymentId(tx.handle),
    vims: record.subject.vims,
    listings: input.listings as unknown as AuditVimOutput[],
    before,
    after: await store.auditView(tx.handle, new Date(before.at)),
  });
  if (record.subject.fix) report.cleanUps = await beginCleanUps(run, report, new Date(before.at));
  record.outcome = report as unknown as JsonObject;
  return undefined;
};

/** One for each orphaned stack, and one for the orphaned images of an instance. What has begun to be worked on meanwhile is let be. */
async function beginCleanUps({ tx, store, record }: InternalRun<'AUDIT'>, report: AuditReport, since: Date): Promise<string[]> {
  const begun: string[] = [];
  const mustCarry = deploymentTag(await store.deploymentId(tx.handle));
  const owners = new Map<string, AuditFinding[]>();
  for (const orphan of report.orphans) {
    const key = `${orphan.vimId} ${orphan.vnfInstanceId ?? ''}`;
    owners.set(key, [...(owners.get(key) ?? []), orphan]);
  }
  // In one order everywhere, since each takes the lock of an instance's row.
  for (const [, orphans] of [...owners].sort(([one], [other]) => one.localeCompare(other))) {
    const [{ vnfInstanceId, vimId } = { vnfInstanceId: undefined, vimId: '' }] = orphans;
    const audited = record.subject.vims.find(({ id }) => id === vimId);
    if (vnfInstanceId === undefined || audited === undefined) continue;
    await store.lockInstance(tx.handle, vnfInstanceId);
    if (await store.operatedSince(tx.handle, vnfInstanceId, since)) continue;
    for (const subject of subjectsOf(orphans, audited, mustCarry)) {
      const vim = audited.vim.choice.vimId ?? null;
      begun.push(
        await store.beginInternal(tx.handle, { kind: 'CLEAN_UP', tenant: record.tenant, vnfInstanceId, vimId: vim, subject }),
      );
    }
  }
  return begun;
}

function subjectsOf(orphans: readonly AuditFinding[], { vim }: AuditedVim, mustCarry: string): CleanUpSubject[] {
  const stacks = orphans.filter(({ type }) => type === 'stack').map(({ name, id }) => ({ name, id }));
  const images = orphans.filter(({ type }) => type === 'image').map(({ id }) => id);
  const common = { vim, vims: [], mustCarry };
  const [first, ...others] = stacks;
  // The images go with the first stack, whose servers may use them.
  return [
    { ...common, images, ...(first === undefined ? {} : { stack: first }) },
    ...others.map((stack) => ({ ...common, images: [], stack })),
  ];
}
