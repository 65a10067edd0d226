import type { ConnectivityChange, Hook, ValidateRequest } from '@windlass/mgmt-driver';
import { describe, expect, it } from 'vitest';
import { bench } from '../../testing/bench.js';
import { PARAMS, plainParams, validateRequest, vnfc, withStorage } from '../../testing/requests.js';

const BOTH: Hook[] = ['change_external_connectivity_start', 'change_external_connectivity_end'];
const MASTERS = [24, 25, 26].map((n) => vnfc('master', n, `10.10.0.${n}`));
const WORKER = vnfc('worker', 31, '10.10.0.31');

function asked(
  cps: ConnectivityChange['cps'],
  more: { masters?: number; params?: ValidateRequest['requestParams']; hooks?: Hook[] } = {},
) {
  const { masters = 1, params = plainParams(), hooks = BOTH } = more;
  const vnfcs = [...MASTERS.slice(0, masters), WORKER];
  const connectivity = { cps, networks: {}, earlierCps: {}, earlierSharedCps: [] };
  const request = validateRequest(
    {},
    {
      operation: 'CHANGE_EXT_CONN',
      instantiateParams: params,
      instance: { vnfcs, sharedCps: [], affectedVnfcs: [], connectivity },
      hooks,
    },
  );
  return bench().driver.validate(request).refusal;
}
const moving = (...names: string[]) => names.map((cpdId) => ({ cpdId, moves: true }));

describe('a request for another connectivity of a cluster', () => {
  it('is refused where it moves the only master, and says what can be done', () => {
    expect(asked(moving('masterNode_CP1'))).toEqual({
      code: 'cluster.only-master-moves',
      detail: expect.stringMatching(
        /^vm-master-24 is the cluster's only master.*leave masterNode_CP1 as it is connected/,
      ) as string,
    });
  });

  it('is refused where it moves more masters at once than the quorum stands, whose number it says', () => {
    const refusal = asked(moving('masterNode_CP1', 'workerNode_CP2'), { masters: 3 });
    expect(refusal).toMatchObject({
      code: 'cluster.masters-move',
      detail: expect.stringMatching(
        /vm-master-24, vm-master-25, vm-master-26, all 3 masters.*with 1 of them away at most/,
      ) as string,
    });
  });

  it('is taken where the masters are named and stay where they are: clients repeat what there is', () => {
    expect(asked([{ cpdId: 'masterNode_CP1', moves: false }, ...moving('workerNode_CP2')])).toBeUndefined();
  });

  it('is refused where volumes would be served from elsewhere, whose manifests name the address', () => {
    const params = withStorage(plainParams());
    expect(asked(moving('storage_server_CP'), { params })).toMatchObject({ code: 'cluster.volumes-move' });
  });

  it('is refused where the package binds no hook by which the nodes would be told, but not where the cluster does not rest on it', () => {
    expect(asked(moving('workerNode_CP2'), { hooks: [] })).toMatchObject({
      code: 'cluster.hook-not-bound',
      detail: expect.stringContaining('change_external_connectivity_end') as string,
    });
    expect(asked(moving('oam_CP'), { hooks: [] })).toBeUndefined();
    expect(asked([{ cpdId: 'workerNode_CP2', moves: false }], { hooks: [] })).toBeUndefined();
  });

  it('may move a CP of the masters that is only for logging in', () => {
    const params = plainParams();
    Object.assign((params[PARAMS] as Record<string, object>).master_node!, {
      ssh_cp_name: 'masterNode_CP1',
      nic_cp_name: 'cluster_CP',
    });
    expect(asked(moving('masterNode_CP1'), { params, masters: 3, hooks: [] })).not.toMatchObject({
      code: 'cluster.masters-move',
    });
  });
});
