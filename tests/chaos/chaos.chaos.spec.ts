import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import { describe, expect, it } from 'vitest';
import { Run } from './chaos-run.js';
import { judge, judgeAftermath } from './judge/judge.js';
import { verdictText } from './judge/report.js';
import { chaosRuns } from './sizes.js';

describe.each(chaosRuns())('chaos with seed $seed', (run) => {
  const results = join(import.meta.dirname, '../../test-results/chaos', String(run.seed));
  const { operations, instances, withinMinutes } = run.size;

  it(
    `loses, doubles, leaks and hangs nothing in ${operations} operations over ${instances} instances with a strike every two seconds`,
    { timeout: minutes(withinMinutes + 15) },
    async () => {
      await rm(results, { recursive: true, force: true });
      await mkdir(results, { recursive: true });
      console.log(`chaos: seed ${run.seed}, ${operations} operations, ${instances} instances; ${results}`);
      const { evidence, aftermath, figures } = await Run.carryOut(run, results);
      console.log(`chaos: seed ${run.seed}: ${JSON.stringify(figures)}`);
      const findings = [...judge(evidence), ...judgeAftermath(aftermath)];
      expect.soft(evidence.accepted.length).toBeGreaterThan(0);
      if (findings.length > 0) throw new Error(await verdictText(findings, run.seed, results));
    },
  );
});
