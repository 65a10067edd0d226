import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import { defaultSettings, kubesprayParts } from '@windlass/k8s-mgmt';
import { heatParameters } from '@windlass/user-data';
import { flavourOf } from '@windlass/vnf-package';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSample, type Sample } from '../crash-points/support/samples.js';
import { instantiationOf } from './support/instantiation-of.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const GUIDE = readFileSync(path.join(ROOT, 'docs/guides/external-load-balancer.md'), 'utf8');

/** What the guide's command makes of the sample's request. */
function filled(): JsonObject {
  const [command] = GUIDE.split('\n').filter((line) => line.startsWith('sed '));
  const folder = mkdtempSync(path.join(os.tmpdir(), 'windlass-guide-'));
  try {
    symlinkSync(path.join(ROOT, 'samples'), path.join(folder, 'samples'));
    execFileSync('bash', ['-euc', command ?? 'false'], { cwd: folder });
    return JSON.parse(readFileSync(path.join(folder, 'body.json'), 'utf8')) as JsonObject;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the sample of a cluster by kubespray with an external load balancer', () => {
  let sample: Sample;
  let body: JsonObject;
  beforeAll(async () => {
    sample = await loadSample('kubespray');
    body = filled();
  });

  it('has a request that the driver takes when its placeholders are filled in as the guide says', () => {
    const question = instantiationOf(sample.record, { ...body, flavourId: 'simple' });
    const { invalidParams, warnings } = kubesprayParts(defaultSettings).driver.validate(question);
    expect(invalidParams).toEqual([]);
    expect(warnings).toContainEqual(expect.stringContaining("Windlass's own actions install the load balancer"));
  });

  it('has all that its templates ask for in that request', () => {
    const parameters = heatParameters({ flavour: flavourOf(sample.record.model, 'simple'), request: body as never });
    expect(parameters).toMatchObject({
      nfv: {
        VDU: { externalLB: { flavor: 'm1.medium' } },
        CP: { externalLB_CP1: { network: expect.stringMatching(/^7d2c/) as string } },
      },
    });
  });
});
