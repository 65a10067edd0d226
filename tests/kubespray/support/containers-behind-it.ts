import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { minutes, seconds, waitUntil, type JsonObject } from '@windlass/foundation';
import { onboard } from '@windlass/windlass';
import { expect } from 'vitest';
import { home } from '../../support/deployed.js';
import type { KubesprayLab } from './kubespray-lab.js';

const WITHIN = minutes(10);

/** A VNF of containers on the cluster, whose Service is reached at the cluster's load balancer. */
export class ContainersBehindIt {
  private constructor(
    private readonly lab: KubesprayLab,
    private readonly url: string,
    /** Whether the cluster is real: the pods of stand-ins do not answer. */
    private readonly real: boolean,
  ) {}

  static async make(lab: KubesprayLab, real: boolean): Promise<ContainersBehindIt> {
    const { api } = lab.deployed;
    const { vnfdId } = await onboard(api, path.join(home, 'samples/cnf-nodeport'));
    const { id } = await api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId, vnfInstanceName: 'containers' });
    const { vims } = await api.get<{ vims: { id: string; type: string }[] }>('/v1.0/vims');
    const text = await readFile(path.join(home, 'samples/requests/instantiate-cnf-nodeport.json'), 'utf8');
    const body = text
      .replaceAll('${VIM_ID}', vims.find(({ type }) => type === 'kubernetes')?.id ?? '')
      .replaceAll('${BALANCER_ADDRESS}', lab.addressOf(await lab.balancer()));
    const made = new ContainersBehindIt(lab, `/vnflcm/v1/vnf_instances/${id}`, real);
    await made.done('instantiate', JSON.parse(body) as JsonObject);
    return made;
  }

  async done(task: string, body: JsonObject): Promise<void> {
    const { api } = this.lab.deployed;
    const opOcc = await api.follow(await api.accept(`${this.url}/${task}`, body), WITHIN, () => undefined);
    expect(opOcc, JSON.stringify(opOcc)).toMatchObject({ operationState: 'COMPLETED' });
  }

  /** Checks that the frontend has both ports, and on a real cluster that pods answer a client outside. */
  async isReached(): Promise<void> {
    const frontend = /^frontend default_web$([\s\S]*?)^ +default_backend/m.exec(await this.lab.configuration())?.[1] ?? '';
    expect(frontend).toContain(`description windlass-vnf ${this.url.split('/').at(-1) ?? ''}`);
    const ports = [...frontend.matchAll(/bind \*:(\d+)/g)].map(([, port]) => Number(port));
    expect(ports).toEqual([30_080, expect.any(Number)]);
    if (!this.real) return;
    const address = this.lab.addressOf(await this.lab.balancer());
    for (const port of ports)
      await waitUntil(
        async (seen) => {
          const answer = await fetch(`http://${address}:${port}/who`, { signal: AbortSignal.timeout(seconds(20)) }).catch(String);
          const text = typeof answer === 'string' ? answer : `${answer.status} ${(await answer.text()).trim()}`;
          seen(text);
          return text.startsWith('200 web-') ? true : undefined;
        },
        { for: `pods to answer at port ${port} of the load balancer`, within: minutes(1), every: seconds(1) },
      );
  }

  /** Checks that nothing of the VNF is left on the load balancer or in the cluster. */
  async isGone(): Promise<void> {
    expect(await this.lab.configuration()).not.toMatch(/default_web|windlass-vnf/);
    const id = this.url.split('/').at(-1) ?? '';
    const kinds = 'deployments,replicasets,pods,services,configmaps';
    expect(await this.lab.kubectl(['get', kinds, '-A', '-l', `windlass/vnf-instance=${id}`, '-o', 'name'])).toBe('');
  }
}
