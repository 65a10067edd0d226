import { seconds } from '@windlass/foundation';
import { readStackAction, type ReadStackInput, type ReadStackOutput } from '@windlass/lifecycle';
import type { SharedCp, Vnfc, VnfcCp, VnfcVolume } from '@windlass/mgmt-driver';
import { readParts, type StackParts, type StackRef } from '@windlass/openstack';
import type { StepRun } from '@windlass/saga';
import { TerminalError } from '@windlass/foundation';
import { readAheadOf } from '../looks/read-ahead.js';
import { infraAction, isFirstClaim } from './infra-context.js';
import { buildInstantiatedVnfInfo } from '../vnf/instantiated-vnf-info.js';
import { vnfModelOf } from '../vnf/vnf-model-of.js';
import type { VnfModel } from '../vnf/vnf-model.js';
import { vnfNodes, type NamedAddress, type NodeVolume, type VnfcNode } from '../vnf/vnfc-nodes.js';

/** Reads what a stack consists of, in the terms of SOL003 and in those of management drivers. */
export const readStack = infraAction(readStackAction, {
  apply: async ({ openStack, input, run }) => {
    const { name, id } = input.stack;
    const ref = id === undefined ? await openStack.heat.findStack(name) : { name, id };
    if (ref === undefined) throw new TerminalError('heat.stack-not-found', `the VIM has no stack ${name}`);
    // What the creation began to read is good for the first claim alone.
    const begun = isFirstClaim(run) ? await readAheadOf(openStack)?.take(readingOf(run, ref), run.signal) : undefined;
    return stackContents(input, begun ?? (await readParts(openStack, ref)));
  },
  retry: { attempts: 5, backoff: seconds(1), growth: 2 },
});

/** What tells the reading that an operation has begun ahead. */
export const readingOf = ({ operationId }: Pick<StepRun, 'operationId'>, { name, id }: StackRef): string =>
  `${operationId} ${name}/${id}`;

/** What a stack consists of. */
export function stackContents(input: ReadStackInput, inventory: StackParts): ReadStackOutput {
  const model = vnfModelOf(input.flavour);
  const { vnfcs, shared } = vnfNodes(input.vnfInstanceId, model, inventory);
  const scaledBy = aspectsByVdu(model);
  const info = buildInstantiatedVnfInfo({
    vnfInstanceId: input.vnfInstanceId,
    flavourId: input.request.flavourId,
    vimConnectionId: input.vim.connectionId,
    model,
    inventory,
    vnfState: input.request.vnfState,
    ...(input.scaleLevels === undefined ? {} : { scaleLevels: input.scaleLevels }),
    extVirtualLinks: input.request.extVirtualLinks,
    extManagedVirtualLinks: input.request.extManagedVirtualLinks,
  });
  return {
    stack: { name: inventory.stack.name, id: inventory.stack.id },
    info,
    vnfcs: vnfcs.map((node) => vnfcOf(node, scaledBy.get(node.vduId))),
    sharedCps: Object.values(shared).map(sharedCpOf),
  };
}

/** The first aspect that scales each VDU. */
const aspectsByVdu = ({ aspects }: VnfModel): Map<string, string> =>
  new Map([...aspects].reverse().flatMap(({ id, vdus }) => vdus.map(({ vduId }): [string, string] => [vduId, id])));

function vnfcOf(node: VnfcNode, aspectId: string | undefined): Vnfc {
  return {
    id: node.vnfcId,
    vduId: node.vduId,
    aspectId: node.group ?? aspectId ?? null,
    memberName: node.member ?? null,
    ...(node.memberCreatedAt === undefined ? {} : { memberCreatedAt: node.memberCreatedAt }),
    resourceId: node.serverId ?? '',
    name: node.serverName ?? '',
    createdAt: node.createdAt,
    host: node.host ?? null,
    zone: node.zone ?? null,
    ...(node.hostKeys === undefined ? {} : { hostKeys: node.hostKeys }),
    cps: Object.values(node.cps).map(cpOf),
    volumes: node.volumes.map(volumeOf),
  };
}

const volumeOf = ({ name, volumeId, device }: NodeVolume): VnfcVolume => ({
  name,
  resourceId: volumeId ?? '',
  device: device ?? null,
});

const cpOf = (cp: NamedAddress): VnfcCp => ({
  cpdId: cp.name,
  resourceId: cp.portId ?? '',
  mac: cp.macAddress ?? null,
  addresses: cp.addresses,
  floatingIp: cp.floatingIp ?? null,
});

const sharedCpOf = (cp: NamedAddress): SharedCp => ({
  name: cp.name,
  resourceId: cp.portId ?? '',
  addresses: cp.addresses,
  floatingIp: cp.floatingIp ?? null,
});
