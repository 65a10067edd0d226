import type { JsonObject } from '@windlass/foundation';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { INSTANTIATE_REQUESTS } from '../crash-points/support/scene-requests.js';
import { World } from '../crash-points/support/world.js';
import { play } from './support/desired-world.js';

const OUT: JsonObject = { type: 'SCALE_OUT', aspectId: 'worker_instance' };
const END = 1_795_000_000;

let sample: Sample;
let world: World;

beforeAll(async () => {
  sample = await loadSample('kubernetes');
});

beforeEach(async () => {
  world = await World.start(sample);
  await play(world, 'INSTANTIATE', await INSTANTIATE_REQUESTS.kubernetes!());
  expect(world.instance.instantiationState).toBe('INSTANTIATED');
  shows(END);
});

afterEach(() => world.close());

const vnfcs = (vdu: string) => world.instance.instantiated!.vnfcs.filter(({ vduId }) => vduId === vdu);

/** What a look at the master's certificates sees from now on. */
function shows(endsAt: number): void {
  const [master] = vnfcs('masterNode');
  world.hosts.node(master!.resourceId).certificates = `now 1\napiserver.crt ${endsAt + 5}\netcd/server.crt ${endsAt}\n`;
}

const kept = () => world.instance.instantiated?.certificates;

describe('when the certificates of a cluster end', () => {
  it('is kept with its instance by what looks at them last, and is not forgotten by operations that do not look', async () => {
    expect(kept(), 'of a master that has none').toBeUndefined();
    expect((await play(world, 'SCALE', OUT)).state).toBe('COMPLETED');
    expect(kept()).toMatchObject({
      earliestEnd: END,
      certificates: [
        { name: 'etcd/server.crt', endsAt: END },
        { name: 'apiserver.crt', endsAt: END + 5 },
      ],
    });
    shows(END + 1_000);
    expect((await play(world, 'MODIFY_INFO', { vnfInstanceName: 'another' })).state).toBe('COMPLETED');
    expect(kept()?.earliestEnd).toBe(END);
    const request = { vnfcInstanceId: [vnfcs('workerNode')[0]!.id] };
    expect((await play(world, 'HEAL', request)).state).toBe('COMPLETED');
    expect(kept()?.earliestEnd).toBe(END + 1_000);
  });

  it('is looked at when somebody asks, by a modification that changes nothing else and goes by a hook of no VNFD', async () => {
    const before = structuredClone(world.instance);
    expect((await play(world, 'MODIFY_INFO', { windlassCertificates: 'look' })).state).toBe('COMPLETED');
    expect(kept()?.earliestEnd).toBe(END);
    const { instantiated, version: _version, ...others } = world.instance;
    const { certificates: _kept, ...state } = instantiated!;
    const { version: _before, ...same } = before;
    expect({ ...others, instantiated: state }).toEqual(same);
  });

  it.each(['rolled back', 'marked as failed'] as const)(
    'is still kept where an operation is %s, and by its refresh',
    async (outcome) => {
      await play(world, 'SCALE', OUT);
      expect((await play(world, 'SCALE', OUT, { outcome, point: 'before-apply of scale_end/verify-cluster' })).failed).toBe(true);
      expect(kept()?.earliestEnd).toBe(END);
    },
  );

  it('is known no more when the VNF was terminated', async () => {
    await play(world, 'SCALE', OUT);
    expect((await play(world, 'TERMINATE', { terminationType: 'FORCEFUL' })).state).toBe('COMPLETED');
    expect(world.instance.instantiated).toBeNull();
  });
});
