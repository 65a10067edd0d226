import { table } from '../report.js';
import type { OpenStackReport } from './openstack-bench.js';
import type { Timeline } from './timeline.js';

/** The report as tables in Markdown, as they stand in docs/bench.md. */
export function openStackText({ machine, oneProcess, medians, runs }: OpenStackReport): string {
  const row = (name: string, figure: (timeline: Timeline) => number): string[] => [
    name,
    figure(medians).toFixed(0),
    runs.map((run) => figure(run).toFixed(0)).join(', '),
  ];
  const services = [...new Set(runs.flatMap(({ requests }) => Object.keys(requests)))].sort();
  return [
    `${oneProcess ? 'All services in one process' : 'A process a service'}, synced to disk; ${runs.length} run${runs.length === 1 ? '' : 's'}, one after the other.`,
    `${machine.cores} cores (${machine.processor}), ${machine.memoryMiB} MiB, Linux ${machine.kernel}, Node ${machine.node}; load average before: ${machine.loadBefore.toFixed(1)}.`,
    '',
    table([
      ['milliseconds', 'median', 'all runs'],
      row('POST to COMPLETED', ({ postToCompleted }) => postToCompleted),
      row('Heat’s own time, from its events', ({ heat }) => heat),
      row('**POST to COMPLETED less Heat’s own time**', ({ overhead }) => overhead),
      row('… of it requests to OpenStack outstanding', ({ outstanding }) => outstanding),
      row('… of it Windlass alone', ({ own }) => own),
    ]),
    '',
    table([
      ['stage (ms)', 'median', 'all runs'],
      row('image to Glance', ({ stages }) => stages.images),
      row('else until POST /stacks is sent', ({ stages }) => stages.before),
      row('POST /stacks until Heat begins', ({ stages }) => stages.asking),
      row('Heat: CREATE_IN_PROGRESS to CREATE_COMPLETE', ({ stages }) => stages.heat),
      row('until that is seen', ({ stages }) => stages.noticing),
      row('reading what there is', ({ stages }) => stages.reading),
      row('until COMPLETED is committed', ({ stages }) => stages.publishing),
      row('looks at the stack meanwhile', ({ looks }) => looks),
      ...services.map((service) => row(`other requests: ${service}`, ({ requests }) => requests[service] ?? 0)),
    ]),
    '',
  ].join('\n');
}
