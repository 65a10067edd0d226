import { beforeAll, describe, expect, it, vi } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { World } from '../crash-points/support/world.js';
import { MOMENTS } from './support/moments.js';
import { load, record, recordedJournals } from './support/recorded-journal.js';

vi.mock('node:crypto', async (original) => ({
  ...(await original<typeof import('node:crypto')>()),
  ...(await import('../crash-points/support/counted-ids.js')).countedIds,
}));

let sample: Sample;

beforeAll(async () => {
  sample = await loadSample('kubernetes');
});

/** `RECORD_JOURNALS=0.2 npx vitest run --project unit-mocked tests/versions` records the journals of a new release. */
const release = process.env.RECORD_JOURNALS;

function recording(to: string): void {
  describe('the journals of this release', () => {
    it.each(MOMENTS.map((moment) => [moment.title, moment] as const))('are recorded: %s', async (title, moment) => {
      const world = await World.start(sample);
      try {
        await record(world, { release: to, title, operationId: await moment.reach(world) });
      } finally {
        await world.close();
      }
    });
  });
}

const journals = await recordedJournals();

function replaying(): void {
  describe('an operation that an older release began', () => {
    it('is recorded at every moment that is of interest', () => {
      const titles = journals.map(({ text }) => (JSON.parse(text) as { title: string }).title);
      expect([...new Set(titles)].sort()).toEqual(MOMENTS.map(({ title }) => title).sort());
    });

    it.each(journals.map(({ name, text }) => [name, text] as const))(
      'comes to its end under this one: %s',
      async (_name, text) => {
        const world = await World.start(sample);
        try {
          const { operationId } = load(world, text);
          const rollingBack = world.operation(operationId).status === 'rolling-back';
          await world.settle(operationId);
          if (world.operation(operationId).status === 'suspended') await world.ask(operationId, 'retry');
          await world.settle(operationId);
          const { operation, operationState } = world.opOcc(operationId);
          expect(world.opOcc(operationId), JSON.stringify(world.opOcc(operationId).error)).toMatchObject({
            operationState: rollingBack ? 'ROLLED_BACK' : 'COMPLETED',
            error: rollingBack ? (expect.anything() as object) : null,
          });
          const instantiated = operation === 'INSTANTIATE' && operationState === 'COMPLETED';
          expect(world.instance.instantiationState).toBe(instantiated ? 'INSTANTIATED' : 'NOT_INSTANTIATED');
          expect(world.troubles).toEqual([]);
        } finally {
          await world.close();
        }
      },
    );
  });
}

if (release === undefined) replaying();
else recording(release);
