import type { JsonObject } from '@windlass/foundation';
import type { Flags } from '../../cli/flags.js';
import type { Io } from '../../cli/program.js';
import { CONTAINERD_SOCKET } from '../../cri/container-runtime.js';
import { newCertificateKey } from '../../kube/names.js';
import { stringAt } from '../../kube/object.js';
import { standinVersion } from '../../programs.js';
import { versionInfo } from '../../api-server/version.js';
import { failure, line } from '../output.js';
import { controlPlaneImages } from '../images.js';
import { pullProblem } from '../preflight/lists.js';
import { uploadCertificates } from '../phases/upload.js';
import { readCluster } from '../read-configuration.js';
import { releasedVersion } from '../release-channel.js';
import { checkCertificateKey, documentsOf, readInit, refuseMixing } from '../read-init.js';
import { readJoin } from '../read-join.js';
import type { ClusterSettings } from '../settings.js';
import { clientOf } from './tokens.js';

/** `kubeadm init phase upload-certs`: the key is the last line. As the real one, it reads nothing of the cluster: what no file says is a default. */
export async function uploadCertsPhase(flags: Flags, io: Io): Promise<void> {
  if (flags.bool('dry-run')) throw failure('dry-run: not in the windlass-lab stand-in');
  refuseMixing(flags);
  const own = standinVersion('kubeadm');
  if (!flags.bool('upload-certs')) {
    line(io, '[upload-certs] Skipping phase. Please see --upload-certs');
    return;
  }
  const documents = await documentsOf(flags);
  if (flags.given('config') && !documents.has('InitConfiguration') && !documents.has('ClusterConfiguration'))
    throw failure('no InitConfiguration or ClusterConfiguration kind was found in the YAML file');
  const asked = documents.get('ClusterConfiguration') ?? {};
  const kubernetesVersion = await releasedVersion(stringAt(asked, 'kubernetesVersion') ?? '', own, io);
  const cluster = readCluster({ ...asked, kubernetesVersion }, own);
  const given = stringAt(documents.get('InitConfiguration'), 'certificateKey') ?? flags.string('certificate-key');
  checkCertificateKey(given);
  const key = given === '' ? newCertificateKey() : given;
  const client = await clientOf(flags);
  try {
    line(io, '[upload-certs] Storing the certificates in Secret "kubeadm-certs" in the "kube-system" Namespace');
    await uploadCertificates(client, cluster, key);
  } finally {
    client.close();
  }
  if (!flags.bool('skip-certificate-key-print')) line(io, `[upload-certs] Using certificate key:\n${key}`);
}

export const certificateKey = (io: Io): void => line(io, newCertificateKey());

async function clusterOf(flags: Flags, io: Io): Promise<ClusterSettings> {
  const documents = await documentsOf(flags);
  if (flags.given('config') && !documents.has('InitConfiguration') && !documents.has('ClusterConfiguration'))
    throw failure('no InitConfiguration or ClusterConfiguration kind was found in the configuration file');
  const fromFlags = { kubernetesVersion: flags.string('kubernetes-version'), imageRepository: flags.string('image-repository') };
  const asked: JsonObject = flags.given('config') ? (documents.get('ClusterConfiguration') ?? {}) : fromFlags;
  const own = standinVersion('kubeadm');
  const kubernetesVersion = await releasedVersion(stringAt(asked, 'kubernetesVersion') ?? '', own, io);
  return readCluster({ ...asked, kubernetesVersion }, own);
}

export async function imagesList(flags: Flags, io: Io): Promise<void> {
  const format = flags.string('output');
  const images = controlPlaneImages(await clusterOf(flags, io));
  if (format === 'json')
    line(io, JSON.stringify({ kind: 'Images', apiVersion: 'output.kubeadm.k8s.io/v1alpha3', images }, undefined, 4));
  else if (format === 'text') for (const image of images) line(io, image);
  else throw failure(`output format ${format}: the windlass-lab stand-in has text and json`);
}

export async function imagesPull(flags: Flags, io: Io): Promise<void> {
  const socket = flags.given('cri-socket') ? flags.string('cri-socket') : CONTAINERD_SOCKET;
  for (const image of controlPlaneImages(await clusterOf(flags, io))) {
    const problem = await pullProblem(image, socket);
    if (problem !== undefined) throw failure(`failed to pull image "${image}": ${problem}`);
    line(io, `[config/images] Pulled ${image}`);
  }
}

export async function configValidate(flags: Flags, io: Io): Promise<void> {
  if (!flags.given('config')) throw failure('the --config flag is mandatory');
  const documents = await documentsOf(flags);
  const own = standinVersion('kubeadm');
  if (documents.has('JoinConfiguration')) await readJoin(flags);
  if (documents.has('InitConfiguration') || documents.has('ClusterConfiguration'))
    await readInit(flags, own, (channel) => releasedVersion(channel, own, io));
  line(io, 'ok');
}

export async function printVersion(flags: Flags, io: Io): Promise<void> {
  const version = standinVersion('kubeadm');
  const info = versionInfo(version);
  const format = flags.string('output');
  if (format === 'short') line(io, version);
  else if (format === 'json') line(io, JSON.stringify({ clientVersion: info }, undefined, 2));
  else if (format === 'yaml') io.out((await import('yaml')).stringify({ clientVersion: info }));
  else if (format === '') {
    const fields = Object.entries(info).map(
      ([name, value]) =>
        `${name.charAt(0).toUpperCase()}${name.slice(1)}:"${typeof value === 'string' ? value : JSON.stringify(value)}"`,
    );
    line(io, `kubeadm version: &version.Info{${fields.join(', ')}}`);
  } else throw failure(`invalid output format: ${format}`);
}
