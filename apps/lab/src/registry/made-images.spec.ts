import { expect, it } from 'vitest';
import { imageContent } from './image-content.js';
import { Registry } from './registry.js';

it('an image whose making has failed is made when it is asked for next, and once', async () => {
  let tries = 0;
  const registry = new Registry({
    'docker.io/library/made': () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error('no space left')) : Promise.resolve(imageContent('made'));
    },
  });
  const asked = () => registry.answer('registry-1.docker.io', '/v2/library/made/manifests/1.0');
  await expect(asked()).rejects.toThrow('no space left');
  for (const answer of [await asked(), await asked()]) expect(answer.status).toBe(200);
  expect(tries).toBe(2);
});
