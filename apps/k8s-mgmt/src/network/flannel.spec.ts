import { describe, expect, it } from 'vitest';
import { flannelManifest } from './flannel.js';

type Container = { name: string; env?: { name: string; valueFrom: { fieldRef: { fieldPath: string } } }[] };
type DaemonSet = { kind: string; spec: { template: { spec: { containers: Container[] } } } };

describe('the manifest of flannel', () => {
  // Without the first two flanneld 0.28.10 ends at once: "env variables POD_NAME and POD_NAMESPACE must be set". No stand-in runs it.
  it('gives flanneld the environment without which it ends at once', () => {
    const { items } = flannelManifest('192.168.0.0/16').objects as unknown as { items: DaemonSet[] };
    const [daemonSet] = items.filter(({ kind }) => kind === 'DaemonSet');
    const [flanneld] = daemonSet!.spec.template.spec.containers;
    expect(Object.fromEntries(flanneld!.env!.map(({ name, valueFrom }) => [name, valueFrom.fieldRef.fieldPath]))).toEqual({
      POD_NAME: 'metadata.name',
      POD_NAMESPACE: 'metadata.namespace',
      NODE_ADDRESS: 'status.hostIP',
    });
  });
});
