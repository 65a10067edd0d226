import type { EndedWork } from '@windlass/foundation';
import { Histogram, type Registry } from 'prom-client';

/** Seconds. What VIMs and hosts are asked takes from milliseconds to minutes. */
const CALL_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 75];
/** Seconds. A step may wait for a stack or a package manager. */
const STEP_BUCKETS = [0.05, 0.25, 1, 5, 15, 60, 300, 900, 3_600];
/** As OpenTelemetry's conventions recommend them for `http.server.request.duration`. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** How long the work of a service took, by what it was. No label has an identifier, an address, or a word of somebody else's. */
export class WorkMetrics {
  readonly #record: Partial<Record<EndedWork['kind'], (work: EndedWork, seconds: number) => void>>;

  constructor(registry: Registry) {
    const registers = [registry];
    const vim = new Histogram({
      name: 'windlass_vim_request_duration_seconds',
      help: 'Requests to VIMs, by the status of the answer (2xx) or why there was none (openstack.timeout)',
      labelNames: ['vim_service', 'method', 'outcome'],
      buckets: CALL_BUCKETS,
      registers,
    });
    const ssh = new Histogram({
      name: 'windlass_ssh_call_duration_seconds',
      help: 'What machines were asked over SSH: ok, or the code of the error. `job` is a whole job, the others are single calls',
      labelNames: ['call', 'outcome'],
      buckets: STEP_BUCKETS,
      registers,
    });
    const step = new Histogram({
      name: 'windlass_step_duration_seconds',
      help: 'Runs of steps by this replica, from the claim to the journaled result',
      labelNames: ['phase', 'outcome'],
      buckets: STEP_BUCKETS,
      registers,
    });
    const request = new Histogram({
      name: 'http_server_request_duration_seconds',
      help: 'Requests to the REST API. The route is the pattern, not the path',
      labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
      buckets: REQUEST_BUCKETS,
      registers,
    });
    this.#record = {
      vim: ({ attributes = {}, outcome }, seconds) =>
        vim.observe(
          { vim_service: attributes['windlass.vim.service'], method: attributes['http.request.method'], outcome } as LabelValues,
          seconds,
        ),
      ssh: ({ name, outcome }, seconds) => ssh.observe({ call: name, outcome }, seconds),
      step: ({ attributes = {}, outcome }, seconds) =>
        step.observe({ phase: String(attributes['windlass.step.phase']), outcome }, seconds),
      request: ({ attributes = {} }, seconds) =>
        request.observe(
          {
            http_request_method: String(attributes['http.request.method']),
            http_route: String(attributes['http.route']),
            http_response_status_code: String(attributes['http.response.status_code']),
          },
          seconds,
        ),
    };
  }

  ended(work: EndedWork): void {
    this.#record[work.kind]?.(work, Math.max(0, work.endedAt - work.startedAt) / 1_000);
  }
}

type LabelValues = Record<'vim_service' | 'method' | 'outcome', string>;
