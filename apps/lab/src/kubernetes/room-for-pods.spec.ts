import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { requireRoomForPods } from './room-for-pods.js';

it('a disk from which kubelets would evict pods is refused before a machine is made, with what is free and what to do', async () => {
  await expect(requireRoomForPods(tmpdir(), 0)).resolves.toBeUndefined();
  await expect(requireRoomForPods(tmpdir(), 1.01)).rejects.toMatchObject({
    code: 'lab.disk',
    message: expect.stringMatching(/[\d.]+ GB of [\d.]+ GB are free where .+ make room until 101 % are free/) as string,
  });
});
