import { toJsonObject } from '@windlass/foundation';
import { outputOf, parallel, sequence, source, sourced, stepCalled, stepOf, type Plan, type Step } from '@windlass/saga';
import { deleteSharedImages } from '../shared-steps/clean-up/release-images.js';
import { auditClusterAction } from '../kubernetes/cluster-actions.js';
import { isCluster } from '../records/on-kubernetes.js';
import { auditVimAction, type AuditVimOutput } from '../stack/infra-actions.js';
import type { VimAccess, ClusterAccess } from '../records/vim-access.js';
import { deploymentTag } from '../records/names.js';
import { defineInlineAction, type NoInput } from '../operation/inline-run.js';
import { limitOfVim } from '../records/limit-keys.js';
import { inlineStep } from '../operation/operation-saga.js';
import type { AuditFinding, AuditReport } from '../records/audit-report.js';
import type { AuditView } from '../records/audit-view.js';
import { compare } from './compare.js';
import type { AuditedVim, CleanUpSubject } from '../records/internal-operation.js';
import { internalAction, INTERNAL_VIM, type InternalRun, type InternalSagaContext } from './internal-saga.js';

const lookBeforeAction = defineInlineAction<NoInput, Before>('look-before');
const compareAuditAction = defineInlineAction<{ before: Before; listings: AuditVimOutput[] }>('compare-audit');

const before = stepCalled(lookBeforeAction);

/** AUDIT: look at the database, list what the VIMs hold, look again and compare; with `fix`, begin the clean-ups of what nobody owns. */
export function auditPlan({ record }: InternalSagaContext<'AUDIT'>): Plan {
  const { vims } = record.subject;
  const listings = vims.map((audited) => listingOf(record.tenant, audited));
  return {
    root: sequence(
      inlineStep(lookBeforeAction, {}),
      ...(listings.length === 0 ? [] : [parallel(listings, { limit: 8 })]),
      inlineStep(compareAuditAction, { before: outputOf(before), listings: listings.map((step) => outputOf(step)) }),
    ),
  };
}

function listingOf(tenant: string, { id, name, vim: { choice } }: AuditedVim): Step<AuditVimOutput> {
  const of = { id: `audit-vim:${id}`, target: name, limits: [limitOfVim(tenant, choice)], traits: { undoable: false } };
  const access = `${INTERNAL_VIM}:${id}`;
  if (isCluster(choice)) return stepOf(auditClusterAction, { ...of, input: { vim: sourced(source<ClusterAccess>(access)) } });
  return stepOf(auditVimAction, {
    ...of,
    input: {
      vim: sourced(source<VimAccess>(access)),
      deploymentTag: outputOf(before, (seen) => seen.deploymentTag),
      vnfInstanceIds: outputOf(before, (seen) => seen.vnfInstanceIds),
    },
  });
}

interface Before extends Pick<AuditView, 'at' | 'busy'> {
  deploymentTag: string;
  vnfInstanceIds: string[];
}

export const lookBefore = internalAction<'AUDIT'>()(lookBeforeAction, async ({ tx, store }) => {
  const { at, busy, vnfs } = await store.auditView(tx.handle);
  const vnfInstanceIds = vnfs.map(({ vnfInstanceId }) => vnfInstanceId);
  const tag = deploymentTag(await store.deploymentId(tx.handle));
  return { at, busy, deploymentTag: tag, vnfInstanceIds };
});

export const compareAudit = internalAction<'AUDIT'>()(compareAuditAction, async (run) => {
  const { tx, store, record, input } = run;
  const report = compare({
    tenant: record.tenant,
    deploymentId: await store.deploymentId(tx.handle),
    vims: record.subject.vims,
    listings: input.listings,
    before: input.before,
    after: await store.auditView(tx.handle, new Date(input.before.at)),
  });
  if (record.subject.fix) report.cleanUps = await beginCleanUps(run, report, new Date(input.before.at));
  record.outcome = toJsonObject(report);
  return undefined;
});

/**
 * Begins a clean-up for each orphaned stack, one for the orphaned images of each instance, and one for orphaned shared images. Instances on which
 * work has begun meanwhile are left out.
 */
async function beginCleanUps(
  { tx, store, record }: Omit<InternalRun<'AUDIT'>, 'input'>,
  report: AuditReport,
  since: Date,
): Promise<string[]> {
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
    if (audited === undefined) continue;
    if (vnfInstanceId === undefined) {
      const ids = orphans.filter(({ type }) => type === 'image').map(({ id }) => id);
      if (ids.length > 0)
        begun.push(await deleteSharedImages(store, tx.handle, { tenant: record.tenant, vim: audited.vim, ids }));
      continue;
    }
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
  const objects = orphans.flatMap(({ ref }) => (ref === undefined ? [] : [ref]));
  if (objects.length > 0) return [{ vim, vims: [], images: [], objects }];
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
