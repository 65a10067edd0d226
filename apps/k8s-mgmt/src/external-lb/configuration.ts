import { createHash } from 'node:crypto';
import { LOOK, type HostContext, type HostStepInput } from '@windlass/driver-kit';
import { minutes, TerminalError } from '@windlass/foundation';
import { cmd, type JobFiles } from '@windlass/mgmt-driver';
import type { Route } from './external-lb-input.js';
import { NODE_PORTS, routed } from './haproxy.js';
import { CONFIGURATION_FILE, EXTERNAL_LB_RUNS, SET_EXTERNAL_LB } from './scripts.js';

/** What the functions here need of the load balancer's machine. */
export type OnBalancer = Pick<HostContext<HostStepInput>, 'host' | 'script' | 'sees'>;

/** HAProxy's present configuration; undefined where the file is absent. A configuration that others wrote may hold passwords. */
export async function configurationOf({ host }: Pick<OnBalancer, 'host'>): Promise<string | undefined> {
  const options = { within: LOOK, sudo: true, expect: [0, 1], secretOutput: true } as const;
  const { status, stdout } = await host.run(cmd`cat ${CONFIGURATION_FILE}`, options);
  return status === 0 ? stdout : undefined;
}

/** Whether the file is as wanted, and HAProxy runs with it. */
export async function isAsWanted(context: OnBalancer, wanted: (text: string | undefined) => string): Promise<boolean> {
  const text = await configurationOf(context);
  return text !== undefined && wanted(text) === text && (await context.sees(cmd`/bin/bash -s`, EXTERNAL_LB_RUNS));
}

/** Changes the file. The change starts from the file as it is when the job starts, and fails where somebody else changes the file meanwhile. */
export async function change(context: OnBalancer, job: string, wanted: (text: string | undefined) => string): Promise<void> {
  await context.script(job, {
    text: SET_EXTERNAL_LB,
    within: minutes(3),
    arguments: (files) => toBe(context, files, wanted),
  });
}

/** The arguments of {@link SET_EXTERNAL_LB}: the wanted file, and the checksum of the file that it was made from. */
export async function toBe(
  context: OnBalancer,
  files: JobFiles,
  wanted: (text: string | undefined) => string,
): Promise<[file: string, was: string]> {
  const text = await configurationOf(context);
  await files.put('haproxy.cfg', wanted(text));
  return [files.path('haproxy.cfg'), text === undefined ? 'none' : createHash('sha256').update(text).digest('hex')];
}

/** As {@link routed}. @throws TerminalError `external-lb.no-back-end` */
export function withRoutes(text: string | undefined, nodes: readonly Route[], name: string): string {
  const wanted = text === undefined ? undefined : routed(text, nodes);
  if (wanted !== undefined) return wanted;
  throw new TerminalError(
    'external-lb.no-back-end',
    `${CONFIGURATION_FILE} on ${name} ${text === undefined ? 'is not there' : `has no "backend ${NODE_PORTS}"`}, to which routes are added: what installed the load balancer has to write it`,
  );
}

/** The same text, of a balancer that passes ports of Services on. @throws TerminalError `external-lb.no-back-end` */
export function withBackEnd(text: string | undefined, name: string): string {
  withRoutes(text, [], name);
  return text ?? '';
}
