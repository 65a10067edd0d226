import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import {
  certificatesGauge,
  coordinatorCounters,
  internalGauges,
  limitGauges,
  notificationMetrics,
  operationGauges,
  ServiceMetrics,
  snapshotsGauge,
  trailGauges,
} from '@windlass/service-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const RULES = join(ROOT, 'deploy/prometheus/windlass.rules.yml');
const BOARDS = join(ROOT, 'deploy/grafana');

interface Alert {
  alert: string;
  expr: string;
  labels: { severity?: string };
  annotations: { summary?: string; runbook?: string };
}

interface Board {
  uid: string;
  panels: { title: string; targets: { expr: string }[] }[];
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const boards = readdirSync(BOARDS).map((file) => JSON.parse(readFileSync(join(BOARDS, file), 'utf8')) as Board);
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...boards.flatMap(({ uid, panels }) =>
    panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [`${uid}: ${title}`, expr] as const)),
  ),
];

/** Labels that Prometheus itself puts on what it scrapes. */
const OF_THE_SCRAPE = ['instance', 'job'];

const metrics = new ServiceMetrics('any', '1', () => Promise.resolve({ ready: true, checks: { nats: { ok: true } } }));
/** The labels of each name that is shown, by the names that queries have. */
const shown = new Map<string, Set<string>>();

/** All that any service shows, in one registry. `tests/observability/exposition.int.spec.ts` holds services against the same list. */
beforeAll(async () => {
  const { registry } = metrics;
  const none = () => Promise.resolve([]);
  operationGauges(registry, { operations: none, claimable: none, outbox: () => Promise.resolve({ waiting: 0, oldestAge: 0 }) });
  coordinatorCounters(registry);
  limitGauges(registry, () => undefined, none);
  internalGauges(registry, none);
  certificatesGauge(registry, none);
  snapshotsGauge(registry, none);
  trailGauges(registry, () => Promise.resolve({ waiting: 0, oldestAge: 0, lastLinkAge: 0 }));
  notificationMetrics(registry, none);
  const all = (await registry.getMetricsAsJSON()) as unknown as MetricObjectWithValues<MetricValue<string>>[];
  for (const { name, type } of all) {
    const labels = new Set([...labelsOf(registry, name), 'service', ...OF_THE_SCRAPE]);
    if (String(type) !== 'histogram') shown.set(name, labels);
    else for (const part of ['bucket', 'count', 'sum']) shown.set(`${name}_${part}`, new Set([...labels, 'le']));
  }
});
afterAll(() => metrics.stop());

/** prom-client keeps them on the metric, and its types leave them out. */
const labelsOf = (registry: Registry, name: string): string[] =>
  (registry.getSingleMetric(name) as unknown as { labelNames: string[] }).labelNames;

const NAME = /\b(?:windlass|http|process)_[a-z_]+\b/g;

/** What is wrong with a query: names that nobody shows, and labels that they do not have. */
function faultsOf(expr: string): string[] {
  const bare = expr.replaceAll(/\{[^}]*\}/g, '').replaceAll(/\b(?:by|without) \([^)]*\)/g, '');
  const names = [...bare.matchAll(NAME)].map(([name]) => name);
  const faults = names.filter((name) => !shown.has(name)).map((name) => `nobody shows ${name}`);
  for (const [, name = '', matchers = ''] of expr.matchAll(/([a-z_]+)\{([^}]*)\}/g))
    for (const [, label = ''] of matchers.matchAll(/(\w+)\s*[!=]/g))
      if (shown.get(name)?.has(label) === false) faults.push(`${name} has no label ${label}`);
  const known = new Set(names.flatMap((name) => [...(shown.get(name) ?? [])]));
  for (const [, list = ''] of expr.matchAll(/\b(?:by|without) \(([^)]*)\)/g))
    for (const label of list.split(',').map((each) => each.trim()))
      if (!known.has(label)) faults.push(`nothing in it has the label ${label}`);
  return names.length === 0 ? ['it names no metric'] : faults;
}

describe('alerts and boards', () => {
  it.each(queries)('%s asks for what services show', (_, expr) => {
    expect(faultsOf(expr)).toEqual([]);
  });

  it('would be told of a name and of a label that are not shown', () => {
    expect(faultsOf('windlass_opertions > 0')).toEqual(['nobody shows windlass_opertions']);
    expect(faultsOf('max by (kind) (windlass_operations{status="x"})')).toEqual([
      'windlass_operations has no label status',
      'nothing in it has the label kind',
    ]);
  });

  it.each(alerts.map((alert) => [alert.alert, alert] as const))('%s says how bad it is, and has its section', (name, alert) => {
    expect(['critical', 'warning', 'info']).toContain(alert.labels.severity);
    expect(alert.annotations.summary).toMatch(/\S/);
    const [page = '', section] = (alert.annotations.runbook ?? '').split('#');
    expect(section).toBe(name.toLowerCase());
    const text = readFileSync(join(ROOT, page), 'utf8');
    expect(text.split('\n').filter((line) => line === `## ${name}`)).toHaveLength(1);
  });

  it('are each tried, and have no section of an alert that is gone', () => {
    const names = new Set(alerts.map(({ alert }) => alert));
    const folder = join(ROOT, 'deploy/prometheus');
    const tests = readdirSync(folder).filter((file) => file.endsWith('.test.yml'));
    const tried = tests.flatMap((file) => [...readFileSync(join(folder, file), 'utf8').matchAll(/alertname: (\w+)/g)]);
    expect(new Set(tried.map(([, name]) => name))).toEqual(names);
    const page = readFileSync(join(ROOT, 'docs/runbooks/alerts.md'), 'utf8');
    expect([...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name).sort()).toEqual([...names].sort());
  });

  it('are boards with an id each, whose panels take their data source from the board', () => {
    expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length);
    for (const { panels } of boards) {
      expect(panels.length).toBeGreaterThan(10);
      expect(JSON.stringify(panels)).toContain('${datasource}');
    }
  });

  it('have no label that could grow without bound but the two that are cut at 500, and the limits', () => {
    const growing = [...shown].filter(([, labels]) => ['vnf_instance', 'key'].some((label) => labels.has(label)));
    expect(growing.map(([name]) => name).sort()).toEqual([
      'windlass_cluster_certificates_end_timestamp_seconds',
      'windlass_cluster_snapshot_taken_timestamp_seconds',
      'windlass_limit_running_steps',
      'windlass_limit_steps',
      'windlass_limit_waiting_steps',
    ]);
  });
});
