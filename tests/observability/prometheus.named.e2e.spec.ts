import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minutes, seconds, waitUntil } from '@windlass/foundation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home } from '../support/deployed.js';
import { Load, WITH_HOOKS } from '../support/load.js';
import { rigFolder } from '../support/rig-folder.js';
import { Fleet } from '../versions/support/fleet.js';
import { thisRelease } from '../versions/support/older-release.js';
import { freePorts, prometheusProgram, RunningProgram } from './support/telemetry-programs.js';

let fleet: Fleet;
let folder: string;
const ends: (() => Promise<unknown>)[] = [];

const started = async (program: string, args: readonly string[], answersAt: string): Promise<void> => {
  const running = await RunningProgram.start(program, args, answersAt);
  ends.push(() => running.stop());
};

const written = async (name: string, text: string): Promise<string> => {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
};

beforeAll(async () => {
  folder = await rigFolder('windlass-prometheus-');
  ends.push(() => rm(folder, { recursive: true, force: true }));
  fleet = await Fleet.start(thisRelease(), { STACK_ABSENT_FOR: '1s' });
  ends.push(() => fleet.close());
}, minutes(10));

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe('metrics, scraped by a Prometheus with our rules', () => {
  it('have the alert of a service that is gone fire, and none while all are there', { timeout: minutes(10) }, async () => {
    await new Load(fleet, await fleet.onboard(), 1, WITH_HOOKS).ended();
    const [port = 0] = await freePorts(1);
    // The same rules, which wait for seconds where an operator's Prometheus waits for minutes.
    const rules = (await readFile(join(home, 'deploy/prometheus/windlass.rules.yml'), 'utf8')).replaceAll(
      /for: \d+m/g,
      'for: 5s',
    );
    await written('windlass.rules.yml', rules);
    const targets = fleet.healthUrls.map((url) => new URL(url).host);
    const config = {
      global: { scrape_interval: '2s', evaluation_interval: '2s' },
      rule_files: ['windlass.rules.yml'],
      scrape_configs: [{ job_name: 'windlass', honor_labels: true, static_configs: [{ targets }] }],
    };
    const file = await written('prometheus.yml', JSON.stringify(config));
    await mkdir(join(folder, 'tsdb'));
    const prometheus = `http://127.0.0.1:${port}`;
    const args = [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    await started(await prometheusProgram(), args, `${prometheus}/-/ready`);
    const asked = async (what: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
      const answer = (await (await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(what)}`)).json()) as {
        data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
      };
      return answer.data?.result ?? [];
    };
    await waitUntil(async () => ((await asked('windlass_ready == 1')).length >= targets.length ? true : undefined), {
      for: 'every service to be scraped',
      within: seconds(60),
      every: seconds(1),
    });
    const ended = await asked('sum(windlass_operations_ended_total{operation="INSTANTIATE",status="completed"})');
    expect(ended.map(({ value }) => value[1])).toEqual(['1']);
    const firing = async () =>
      (await asked('ALERTS{alertstate="firing",alertname=~"WindlassService.*"}')).map(({ metric }) => [
        metric.alertname,
        metric.service,
      ]);
    // Before each was scraped it was absent, for these short waits.
    await waitUntil(async () => ((await firing()).length === 0 ? true : undefined), {
      for: 'no alert of a service',
      within: seconds(90),
      every: seconds(1),
    });
    await fleet.end('infra-driver');
    await waitUntil(
      async (seen) => {
        const now = await firing();
        seen(JSON.stringify(now));
        return now.some(([alert, service]) => alert === 'WindlassServiceAbsent' && service === 'infra-driver') || undefined;
      },
      { for: 'WindlassServiceAbsent of infra-driver', within: minutes(8), every: seconds(1) },
    );
  });
});
