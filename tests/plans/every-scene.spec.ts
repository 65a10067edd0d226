import { stepsIn, type OperationPreview } from '@windlass/lifecycle';
import { stepViews, type StepView } from '@windlass/saga';
import { seconds, hours } from '@windlass/foundation';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSample, readSample, type Sample } from '../crash-points/support/samples.js';
import { kubespraySample } from '../crash-points/support/kubespray-sample.js';
import { registrySample, storageSample } from '../crash-points/support/other-services-samples.js';
import {
  BY_KUBESPRAY,
  CLUSTER_APART,
  CLUSTER_CHANGED,
  CLUSTER_OF_MASTERS,
  SCENES,
  PRIVATE_REGISTRY,
  SHARING,
  WITH_STORAGE,
  sceneTitled,
  begin,
  type OperationScene,
} from '../crash-points/support/scenes.js';
import { World } from '../crash-points/support/world.js';
import { scalingPackage } from '../support/scaling-package.js';
import { startStandInNfvo } from '../support/standin-nfvo.js';
import { previewIn } from './support/preview-in-world.js';

const NFVO = 'simple-vm with an NFVO';
const samples = new Map<string, Sample>();

beforeAll(async () => {
  samples.set('simple-vm', await loadSample('simple-vm')).set('kubernetes', await loadSample('kubernetes'));
  samples.set(NFVO, samples.get('simple-vm')!);
  samples.set(SHARING, { ...samples.get('simple-vm')!, name: SHARING, sharesImages: true });
  samples.set(WITH_STORAGE, await storageSample());
  samples.set(PRIVATE_REGISTRY, await registrySample());
  samples.set(BY_KUBESPRAY, await kubespraySample());
  samples.set(CLUSTER_CHANGED, samples.get('kubernetes')!);
  samples.set('cnf', await loadSample('cnf'));
  samples.set(CLUSTER_OF_MASTERS, { ...samples.get('kubernetes')!, name: CLUSTER_OF_MASTERS });
  samples.set(CLUSTER_APART, { ...samples.get('kubernetes')!, name: CLUSTER_APART, showHost: true });
  samples.set('scaling', await readSample('scaling', scalingPackage('b1bb0ce7-ebca-4fa7-95ed-4840d70a1177')));
});

/** Each operation of each sample that there is in memory; those of a sandbox are slower, and plan alike. */
const played = SCENES.filter((scene): scene is OperationScene => 'operation' in scene).flatMap((scene) =>
  scene.on.filter((name) => name !== 'scripted').map((name) => [`${scene.title} of ${name}`, scene, name] as const),
);

/** What stands in the journal and in a plan alike: who does what, in which order, below which hook. */
const ofStep = ({ action, version, service }: Pick<StepView, 'action' | 'version' | 'service'>, hook: string): string =>
  `${hook} ${service} ${action}@${version}`;

const shownIn = ({ plan }: OperationPreview): string[] =>
  stepsIn(plan).map((step) => ofStep(step, step.id.includes('/') ? (step.id.split('/')[0] ?? '') : ''));

const ranIn = (views: readonly StepView[]): string[] => views.map((view) => ofStep(view, view.parentId ?? ''));

async function playing<T>(name: string, scene: OperationScene, work: (world: World) => Promise<T>): Promise<T> {
  const nfvo = name === NFVO ? await startStandInNfvo() : undefined;
  nfvo?.decide({ later: () => ({}) });
  nfvo?.release();
  const asking = { publicUrl: 'http://vnfm.example', grantWithin: hours(1), askAgainEvery: seconds(1) };
  const world = await World.start(samples.get(name)!, nfvo === undefined ? undefined : { ...asking, url: nfvo.url });
  try {
    for (const earlier of scene.after.map(sceneTitled)) await world.settle(await begin(world, earlier));
    return await work(world);
  } finally {
    await world.close();
    await nfvo?.close();
  }
}

describe('a plan that is shown before', () => {
  it.each(played)('has the very steps that are run, as they are run: %s', async (_title, scene, name) => {
    await playing(name, scene, async (world) => {
      const asked = world.emulator.requests.length;
      const shown = await previewIn(world, scene.operation, await scene.request(world), { asksNfvo: name === NFVO });
      expect(world.emulator.requests.length).toBe(asked);
      const id = await begin(world, scene);
      await world.settle(id);
      expect(world.operation(id).status).toBe('completed');
      const steps = world.journal.steps.get(id) ?? [];
      const views = stepViews(steps, 'completed', world.journal.now);
      expect(shownIn(shown)).toEqual(ranIn(views));
      expect(shown.pointOfNoReturn).toBe(steps.find(({ traits }) => traits.pivot === true)?.id ?? null);
      const undone = (id: string): boolean | undefined => steps.find((step) => step.id === id)?.traits.undoable;
      for (const step of stepsIn(shown.plan))
        if (!step.id.includes('/')) expect([step.id, step.undoable]).toEqual([step.id, undone(step.id) !== false]);
    });
  });
});
