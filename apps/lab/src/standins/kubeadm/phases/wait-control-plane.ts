import { request } from 'node:https';
import { millis, waitUntil } from '@windlass/foundation';
import { line } from '../output.js';
import { localEndpoint, type Endpoint } from '../settings.js';
import { describe } from './kubelet-start.js';
import type { Io } from '../../cli/program.js';

/** Waits until API server, controller manager and scheduler of this node say that they are healthy. @throws Error naming the component */
export async function waitForControlPlane(local: Endpoint, within: number, io: Io): Promise<void> {
  line(io, `[control-plane-check] Waiting for healthy control plane components. This can take up to ${describe(within)}`);
  const components = [
    { name: 'kube-apiserver', url: `https://${localEndpoint(local)}/livez` },
    { name: 'kube-controller-manager', url: 'https://127.0.0.1:10257/healthz' },
    { name: 'kube-scheduler', url: 'https://127.0.0.1:10259/livez' },
  ];
  const begun = performance.now();
  for (const { name, url } of components) line(io, `[control-plane-check] Checking ${name} at ${url}`);
  await Promise.all(
    components.map(async ({ name, url }) => {
      try {
        await waitUntil(async (seen) => ((await isHealthy(url, seen)) ? true : undefined), {
          for: `${name} at ${url}`,
          within: millis(within),
          every: millis(100),
          growth: 1.2,
          atMost: millis(500),
        });
      } catch (error) {
        line(io, `[control-plane-check] ${name} is not healthy after ${describe(within)}`);
        throw new Error(
          `failed while waiting for the control plane to start: ${name} check failed at ${url}: ${error instanceof Error ? error.message : String(error)}\n` +
            `\nA control plane component may have crashed or exited when started by the container runtime.\nIts service is windlass-lab-pod-${name} here: journalctl -u windlass-lab-pod-${name}`,
        );
      }
      line(io, `[control-plane-check] ${name} is healthy after ${((performance.now() - begun) / 1_000).toFixed(6)}s`);
    }),
  );
}

/** The certificates of the health ports vouch for nobody; the API server's is checked by everything that follows. */
function isHealthy(url: string, seen: (text: string) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(url, { rejectUnauthorized: false, timeout: 2_000, agent: false }, (answer) => {
      answer.resume();
      seen(`HTTP status ${answer.statusCode ?? 0}`);
      resolve(answer.statusCode === 200);
    });
    sent.on('timeout', () => sent.destroy(new Error('time-out')));
    sent.on('error', (error) => {
      seen(error.message);
      resolve(false);
    });
    sent.end();
  });
}
