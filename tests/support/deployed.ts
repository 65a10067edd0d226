import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startPostgres, type RunningPostgres } from '@windlass/embedded';
import type { JsonObject } from '@windlass/foundation';
import { evidence } from '@windlass/foundation/testing';
import { ApiClient, Deployment, onboard, surroundings } from '@windlass/windlass';
import { labEnvironment, registerLab, startLab, type LabOptions, type RunningLab } from '@windlass/workbench';
import { rigFolder } from './rig-folder.js';

export const home = resolve(import.meta.dirname, '../..');

/** The whole product as an operator has it: a process a service, its own PostgreSQL and NATS. */
export interface Product {
  api: ApiClient;
  deployment: Deployment;
  /** The database of the services, for tests that read it or act at its commits. */
  postgres: RunningPostgres;
  close(): Promise<void>;
}

/** The product, and the lab as its VIM. */
export interface Deployed extends Product {
  lab: RunningLab;
  dataDir: string;
}

/** Starts the product in a folder. @param environment more environment of a service, by the service's name */
export async function startProduct(dataDir: string, environment: (service: string) => Record<string, string>): Promise<Product> {
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), durable: false, log: evidence.log('postgres') });
  const deployment = await Deployment.start({
    home,
    dataDir,
    port: 0,
    durable: false,
    databaseUrl: postgres.url,
    say: evidence.log('deployment'),
    environment,
  });
  return {
    api: new ApiClient(deployment.url, deployment.secrets.token),
    deployment,
    postgres,
    close: async () => {
      await deployment.stop();
      await postgres.stop();
    },
  };
}

/** Options of the lab. `told`: environment of the services that is known only when the lab runs. */
export interface DeployedLab extends Pick<LabOptions, 'image' | 'firstBoot' | 'kubernetes' | 'showHost' | 'siteRegistry'> {
  told?: (lab: RunningLab) => Promise<Record<string, string>>;
}

export async function startDeployed(
  environment: Readonly<Record<string, string>> = {},
  { told, ...labOptions }: DeployedLab = {},
): Promise<Deployed> {
  const dataDir = await rigFolder('windlass-e2e-');
  await mkdir(join(dataDir, 'secrets'), { mode: 0o700 });
  const say = evidence.log('lab');
  const lab = await startLab({ dataDir, cache: surroundings().cache, say, ...labOptions });
  const ofLab = (await told?.(lab)) ?? {};
  const product = await startProduct(dataDir, (service) => ({ ...labEnvironment(lab)(service), ...ofLab, ...environment }));
  lab.emulator.registerVnfm(product.deployment.url);
  await registerLab(product.api, lab);
  return {
    ...product,
    lab,
    dataDir,
    close: async () => {
      await product.close();
      await lab.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates an instance of the Kubernetes sample. Returns its path, and the instantiate request of a flavour. */
export async function newCluster(
  { api, lab }: Deployed,
  flavour: 'simple' | 'complex' | 'podaffinity' = 'simple',
): Promise<{ path: string; request: JsonObject }> {
  const [known] = await api.list('/vnfpkgm/v1/vnf_packages');
  const { vnfdId } = known ?? (await onboard(api, join(home, 'samples/kubernetes')));
  const { id } = await api.post<{ id: string }>('/vnflcm/v1/vnf_instances', { vnfdId });
  const text = await readFile(join(home, `samples/requests/instantiate-kubernetes-${flavour}.json`), 'utf8');
  return {
    path: `/vnflcm/v1/vnf_instances/${id}`,
    request: JSON.parse(text.replaceAll('${NETWORK_ID}', lab.networkName)) as JsonObject,
  };
}
