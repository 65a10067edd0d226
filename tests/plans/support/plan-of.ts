import type { AxiosResponse } from 'axios';
import type { ShownPlan } from '@windlass/lcm-api';
import type { PlannedNode, PlannedStep } from '@windlass/lifecycle';
import { rowsOf } from '@windlass/persistence';
import type { StepView } from '@windlass/saga';
import type { System } from '../../support/system.js';

/** The path at which the plan of a request is asked for. */
export const planPath = (path: string): string => `/windlass/v1/plans${path}`;

/** All steps of a plan from top to bottom, with the steps of hooks. */
export function stepsIn(node: PlannedNode): PlannedStep[] {
  if (node.kind !== 'step') return node.of.flatMap(stepsIn);
  return [node, ...(node.hook?.plan === undefined ? [] : stepsIn(node.hook.plan))];
}

/** A line for a step, the same for a plan and for a journal. */
export const lineOf = ({
  id,
  service,
  action,
  version,
  target,
}: Pick<StepView, 'id' | 'service' | 'action' | 'version' | 'target'>) => `${id} ${service} ${action}@${version} ${target ?? ''}`;

export const linesOf = ({ plan }: Pick<ShownPlan, 'plan'>): string[] => stepsIn(plan).map(lineOf);

/** The steps that an operation has run, by its journal. */
export async function ranBy(system: System, accepted: AxiosResponse<unknown>): Promise<string[]> {
  const id = String(accepted.headers.location).split('/').at(-1) ?? '';
  return (await system.api.get<StepView[]>(`/windlass/v1/operations/${id}/steps`)).data.map(lineOf);
}

/** The contents of the database, without what services change by themselves: they chain the trail, and send and purge the outbox. */
export async function contents({ database }: System): Promise<Record<string, string>> {
  const tables = await rowsOf<{ name: string }>(
    database.manager,
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname IN ('lcm', 'package', 'vim') AND tablename NOT IN ('outbox', 'audit_link') ORDER BY 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await rowsOf<{ of: string }>(
      database.manager,
      `SELECT count(*) || ' rows ' || coalesce(md5(string_agg(md5(t::text), '' ORDER BY t::text)), '') AS of FROM ${name} AS t`,
    );
    found[name] = row?.of ?? '';
  }
  return found;
}
