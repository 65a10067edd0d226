import axios, { type AxiosInstance } from 'axios';
import { Secret, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { Authentication, startLcmApi, staticToken, type LcmApiDependencies } from '@windlass/lcm-api';
import type { StepView } from '@windlass/saga';
import type { Role } from '@windlass/service-kit';
import { readerThread } from '../../support/reader-thread.js';
import { quiet, sampleRequest, type System } from '../../support/system.js';

/** Another replica of lcm-api on the same database, with its own token. */
export interface Replica {
  url: string;
  token: string;
  api: AxiosInstance;
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  tenant?: string;
  user?: string;
  roles?: readonly Role[];
  /** 0: a free port. */
  port?: number;
  more?: Partial<LcmApiDependencies>;
}

export async function startReplica(system: System, options: ReplicaOptions = {}): Promise<Replica> {
  const { tenant = 'default', user = 'somebody', roles = ['admin'], port = 0, more = {} } = options;
  const token = `token-of-${user}`;
  const lcm = await startLcmApi({
    link: system.link,
    database: system.database,
    masterKeys: system.masterKeys,
    policy: system.policy,
    user: system.servers.nats.user,
    authentication: new Authentication({ ways: [staticToken(new Secret(token), { tenant, user, roles })] }),
    host: '127.0.0.1',
    port,
    maxPackageBytes: 1024 * 1024,
    readerThread: await readerThread(),
    log: quiet,
    ...more,
  });
  const api = axios.create({
    baseURL: lcm.url,
    headers: { 'X-Auth-Token': token },
    validateStatus: () => true,
    proxy: false,
  });
  return { url: lcm.url, token, api, stop: () => lcm.stop() };
}

/** Creates an instance, and asks for the instantiation. */
export async function instantiate(api: AxiosInstance, vnfdId: unknown): Promise<{ instance: string; operationId: string }> {
  const created = await api.post<JsonObject>('/vnflcm/v1/vnf_instances', { vnfdId });
  const instance = String(created.data.id);
  const accepted = await api.post(
    `/vnflcm/v1/vnf_instances/${instance}/instantiate`,
    await sampleRequest('instantiate-simple-vm.json', 'net0'),
  );
  if (accepted.status !== 202) throw new Error(`not accepted: ${accepted.status} ${JSON.stringify(accepted.data)}`);
  return { instance, operationId: String(accepted.headers.location).split('/').at(-1) ?? '' };
}

export const stepsOf = async (api: AxiosInstance, id: string): Promise<StepView[]> =>
  (await api.get<StepView[]>(`/windlass/v1/operations/${id}/steps`)).data;

export const opOccPath = (id: string): string => `/vnflcm/v1/vnf_lcm_op_occs/${id}`;

/** Waits until the operation is in one of these states. Returns the operation occurrence. */
export const inState = (api: AxiosInstance, id: string, ...states: string[]): Promise<JsonObject> =>
  waitUntil(
    async (seen) => {
      const { data } = await api.get<JsonObject>(opOccPath(id));
      seen(JSON.stringify(data));
      return states.includes(String(data.operationState)) ? data : undefined;
    },
    { for: `operation ${id} to be ${states.join(' or ')}`, within: seconds(90), every: seconds(0.05) },
  );

/** Waits until a running step shows progress. Returns the steps. */
export const running = (api: AxiosInstance, id: string): Promise<StepView[]> =>
  waitUntil(
    async (seen) => {
      const steps = await stepsOf(api, id);
      seen(JSON.stringify(steps));
      return steps.some(({ state, owner }) => state === 'running' && owner !== null) ? steps : undefined;
    },
    { for: 'a step to run', within: seconds(90), every: seconds(0.02) },
  );
