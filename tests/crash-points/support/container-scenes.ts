import type { OperationScene } from './scene.js';

/** The operations on an instantiated VNF of containers. */
export const SCENES_OF_CONTAINERS: readonly OperationScene[] = [
  {
    title: 'SCALE out of containers',
    operation: 'SCALE',
    movesPorts: true,
    on: ['cnf'],
    after: ['INSTANTIATE'],
    request: () => Promise.resolve({ type: 'SCALE_OUT', aspectId: 'web' }),
  },
  {
    title: 'SCALE in of containers',
    operation: 'SCALE',
    movesPorts: true,
    on: ['cnf'],
    after: ['INSTANTIATE', 'SCALE out of containers'],
    request: () => Promise.resolve({ type: 'SCALE_IN', aspectId: 'web' }),
  },
  {
    title: 'HEAL of a pod',
    operation: 'HEAL',
    on: ['cnf'],
    after: ['INSTANTIATE'],
    request: ({ instance }) => {
      const [web] = instance.instantiated?.vnfcs ?? [];
      return Promise.resolve({ cause: 'it hangs', vnfcInstanceId: [web?.id ?? 'none'] });
    },
  },
  {
    title: 'HEAL of every pod',
    operation: 'HEAL',
    on: ['cnf'],
    after: ['INSTANTIATE', 'SCALE out of containers'],
    request: () => Promise.resolve({}),
  },
];
