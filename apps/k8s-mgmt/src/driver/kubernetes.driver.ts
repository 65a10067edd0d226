import { InvariantError, seconds, TransientError, type Duration } from '@windlass/foundation';
import type { DriverDescription, HookContext, ManagementDriver, ValidateReply, ValidateRequest } from '@windlass/mgmt-driver';
import { sequence, type Plan } from '@windlass/saga';
import { clusterVimId, defaultVimName } from '../ids.js';
import type { K8sMgmtSettings } from '../settings.js';
import { checkInstantiation } from './check-instantiation.js';
import { instantiateEnd } from './instantiate-end.js';
import { K8S_SERVICE } from './node-steps.js';
import { parameterSchema } from './parameter-schema.js';
import { clusterParams, PARAM } from './parameters.js';
import { terminateEnd, terminateStart } from './terminate.js';

/** The implementation's name in VNFDs. */
export const KUBERNETES_DRIVER = 'mgmt-drivers-kubernetes';
const VERSION = '0.1.0';

/** What the checks ask of the VIM registry. */
export interface VimLookups {
  list(request: { tenant: string; name: string }): Promise<{ id: string }[]>;
  users(tenant: string, id: string): Promise<string[]>;
}

export interface KubernetesDriverOptions {
  settings: K8sMgmtSettings;
  /** `name@version` of every action that the service's workers have. */
  actions: readonly { name: string; version: number }[];
  /** Absent: what needs the registry is checked by the steps alone. */
  vims?: VimLookups;
  /** How long the registry may take; 2.5 s: lcm-api waits 5 s for the whole check. */
  askWithin?: Duration;
}

/** New VMs would never join the cluster, and those that leave would stay in it as dead nodes. */
const NO_SCALING = {
  code: 'kubernetes.no-scaling',
  detail: `this release of ${KUBERNETES_DRIVER} takes no nodes in or out of a cluster: its VNF can't be scaled yet`,
};

/** Kubernetes clusters by kubeadm, flavours with one master. */
export class KubernetesDriver implements ManagementDriver {
  constructor(private readonly options: KubernetesDriverOptions) {}

  describe(): DriverDescription {
    return {
      driver: KUBERNETES_DRIVER,
      version: VERSION,
      service: K8S_SERVICE,
      hooks: ['instantiate_end', 'terminate_start', 'terminate_end'],
      actions: this.options.actions.map(({ name, version }) => ({ name, version })),
      parameters: parameterSchema,
    };
  }

  /** @param tenant whose request it is; without it the VIM registry isn't asked */
  async validate(request: ValidateRequest, tenant?: string): Promise<ValidateReply> {
    if (request.operation === 'INSTANTIATE') {
      const reply = checkInstantiation(request, this.options.settings);
      return this.#asking(reply, () => this.#checkName(request, reply, tenant));
    }
    const reply: ValidateReply = { invalidParams: [], warnings: [], normalised: {} };
    if (request.operation === 'SCALE') return { ...reply, refusal: NO_SCALING };
    return request.operation === 'TERMINATE' ? this.#asking(reply, () => this.#checkUnused(request, reply, tenant)) : reply;
  }

  plan(hook: HookContext): Plan {
    const madeBy = { driver: KUBERNETES_DRIVER, version: VERSION };
    if (hook.hook === 'instantiate_end') return instantiateEnd(hook, this.options.settings, madeBy);
    if (hook.hook === 'terminate_start') return { madeBy, ...terminateStart(hook) };
    if (hook.hook === 'terminate_end') return { madeBy, ...terminateEnd(hook) };
    if (!hook.hook.startsWith('instantiate_'))
      throw new InvariantError(`${KUBERNETES_DRIVER} does nothing at ${hook.hook} in this release`);
    return { madeBy, root: sequence() };
  }

  /** The registry may be down: then the request is taken, and the step that needs it decides. */
  async #asking(reply: ValidateReply, ask: () => Promise<ValidateReply>): Promise<ValidateReply> {
    try {
      return await answered(ask(), this.options.askWithin ?? seconds(2.5));
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
      return {
        ...reply,
        warnings: [...reply.warnings, `the VIM registry could not be asked now (${error.message}); the operation asks again`],
      };
    }
  }

  /** Another VIM of that name would be found at the very end, when all is installed. */
  async #checkName(request: ValidateRequest, reply: ValidateReply, tenant: string | undefined): Promise<ValidateReply> {
    if (tenant === undefined || this.options.vims === undefined || reply.invalidParams.length > 0) return reply;
    const name = clusterParams(request.requestParams).vim_name ?? defaultVimName(request.vnfInstanceId);
    const others = (await this.options.vims.list({ tenant, name })).filter(
      ({ id }) => id !== clusterVimId(request.vnfInstanceId),
    );
    if (others.length === 0) return reply;
    const fault = {
      path: `/additionalParams/${PARAM}/vim_name`,
      reason: `the project has a VIM named ${name} already: choose another name`,
    };
    return { ...reply, invalidParams: [fault] };
  }

  async #checkUnused(request: ValidateRequest, reply: ValidateReply, tenant: string | undefined): Promise<ValidateReply> {
    if (tenant === undefined || this.options.vims === undefined) return reply;
    const [user] = await this.options.vims.users(tenant, clusterVimId(request.vnfInstanceId));
    if (user === undefined) return reply;
    return { ...reply, refusal: { code: 'vim.in-use', detail: inUse(user) } };
  }
}

/** @throws TransientError when there is no answer in that time */
async function answered<T>(asked: Promise<T>, within: Duration): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TransientError('vim.no-answer', 'it does not answer')), within);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const inUse = (vnfInstanceId: string): string =>
  `VNF instance ${vnfInstanceId} uses this cluster as its VIM: terminate it first`;
