import { isAbsolute } from 'node:path';
import { days, type JsonObject } from '@windlass/foundation';
import { parseGoDuration } from '../cli/go-duration.js';
import type { Taint } from '../kube/kinds.js';
import { at, listAt, objectAt, stringAt } from '../kube/object.js';
import { isIpv4, parseCidr } from '../kube/ip-range.js';
import { isSubdomain } from '../kube/names.js';
import type { KeyAlgorithm } from '../pki/certificates.js';
import { isChannel, minorsAhead, normalizedVersion } from './versions.js';
import { EXIT, failure } from './output.js';
import { ETCD_DATA, KUBERNETES, type Argument, type ClusterSettings } from './settings.js';

/** `extraArgs` of either version: a map in v1beta3, a list in v1beta4. @throws ExitError for one without a name */
export function argumentsAt(document: unknown, ...path: string[]): Argument[] {
  const value = at(document, ...path);
  if (Array.isArray(value)) {
    const list = value.map((entry) => ({ name: stringAt(entry, 'name') ?? '', value: stringAt(entry, 'value') ?? '' }));
    const nameless = list.findIndex(({ name }) => name === '');
    if (nameless >= 0) throw invalid(path.join('.'), `index ${nameless}`, 'argument has no name');
    return list;
  }
  return Object.entries(objectAt(document, ...path) ?? {}).map(([name, entry]) => ({
    name,
    value: typeof entry === 'string' ? entry : '',
  }));
}

export const textsAt = (document: unknown, ...path: string[]): string[] =>
  listAt(document, ...path).filter((entry) => typeof entry === 'string');

export const taintsAt = (document: unknown, ...path: string[]): Taint[] | undefined => {
  const value = at(document, ...path);
  return Array.isArray(value) ? (value as unknown as Taint[]) : undefined;
};

export const durationAt = (document: unknown, preset: number, ...path: string[]): number =>
  parseGoDuration(stringAt(document, ...path) ?? '') ?? preset;

const ALGORITHMS: readonly KeyAlgorithm[] = ['ECDSA-P256', 'ECDSA-P384', 'RSA-2048', 'RSA-3072', 'RSA-4096'];

/** Those of `kubeadm init`; none does anything here. */
export const KNOWN_GATES: readonly string[] = [
  ...['ControlPlaneKubeletLocalMode', 'NodeLocalCRISocket', 'PublicKeysECDSA', 'RootlessControlPlane'],
  'WaitForAllControlPlaneComponents',
];

/** A value that kubeadm refuses. */
export const invalid = (field: string, value: string, why: string): Error =>
  failure(`${field}: Invalid value: "${value}": ${why}`, EXIT.validation);

/**
 * A ClusterConfiguration document with kubeadm's defaults.
 * @throws ExitError status 3 for values that kubeadm refuses; 1 for what the stand-in does not have
 */
export function readCluster(document: JsonObject, kubeadmVersion: string): ClusterSettings {
  if (objectAt(document, 'etcd', 'external') !== undefined) throw failure('external etcd: not in the windlass-lab stand-in');
  const text = (preset: string, ...path: string[]): string => {
    const value = stringAt(document, ...path) ?? '';
    return value === '' ? preset : value;
  };
  const cluster: ClusterSettings = {
    kubernetesVersion: versionOf(text('stable-1', 'kubernetesVersion'), kubeadmVersion),
    controlPlaneEndpoint: text('', 'controlPlaneEndpoint'),
    serviceSubnet: text('10.96.0.0/12', 'networking', 'serviceSubnet'),
    podSubnet: text('', 'networking', 'podSubnet'),
    dnsDomain: text('cluster.local', 'networking', 'dnsDomain'),
    certificatesDir: text(`${KUBERNETES}/pki`, 'certificatesDir'),
    imageRepository: text('registry.k8s.io', 'imageRepository'),
    clusterName: text('kubernetes', 'clusterName'),
    algorithm: text('RSA-2048', 'encryptionAlgorithm') as KeyAlgorithm,
    certificateDays: Math.max(1, Math.ceil(durationAt(document, days(365), 'certificateValidityPeriod') / days(1))),
    caDays: Math.max(1, Math.ceil(durationAt(document, days(3_650), 'caCertificateValidityPeriod') / days(1))),
    apiServer: {
      extraArgs: argumentsAt(document, 'apiServer', 'extraArgs'),
      certSans: textsAt(document, 'apiServer', 'certSANs'),
    },
    controllerManager: { extraArgs: argumentsAt(document, 'controllerManager', 'extraArgs') },
    scheduler: { extraArgs: argumentsAt(document, 'scheduler', 'extraArgs') },
    etcd: {
      dataDir: text(ETCD_DATA, 'etcd', 'local', 'dataDir'),
      extraArgs: argumentsAt(document, 'etcd', 'local', 'extraArgs'),
      serverSans: textsAt(document, 'etcd', 'local', 'serverCertSANs'),
      peerSans: textsAt(document, 'etcd', 'local', 'peerCertSANs'),
    },
    dnsDisabled: at(document, 'dns', 'disabled') === true,
    proxyDisabled: at(document, 'proxy', 'disabled') === true,
    featureGates: (objectAt(document, 'featureGates') ?? {}) as Record<string, boolean>,
  };
  validateCluster(cluster);
  return cluster;
}

/** @throws ExitError for no version, or one that this kubeadm can't deploy */
export function versionOf(text: string, kubeadmVersion: string): string {
  if (isChannel(text)) return kubeadmVersion;
  const version = normalizedVersion(text);
  if (version === undefined)
    throw failure(`version "${text}" doesn't match patterns for neither semantic version nor labels (stable, latest, ...)`);
  if (minorsAhead(version, kubeadmVersion) < -1) {
    const [major, minor] = kubeadmVersion.replace(/^v/, '').split('.');
    throw failure(
      `this version of kubeadm only supports deploying clusters with the control plane version >= ${major ?? '1'}.${Number(minor ?? '1') - 1}.0. Current version: ${version}`,
    );
  }
  return version;
}

function validateCluster(cluster: ClusterSettings): void {
  const services = parseCidr(cluster.serviceSubnet);
  if (services === undefined) throw invalid('networking.serviceSubnet', cluster.serviceSubnet, "couldn't parse subnet");
  if (services.size < 10)
    throw invalid('networking.serviceSubnet', cluster.serviceSubnet, 'subnet with 10 address(es) is required');
  if (services.prefix < 12)
    throw invalid(
      'networking.serviceSubnet',
      cluster.serviceSubnet,
      'specified service subnet is too large; for 32-bit addresses, the mask must be >= 12',
    );
  if (cluster.podSubnet !== '') {
    const pods = parseCidr(cluster.podSubnet);
    if (pods === undefined) throw invalid('networking.podSubnet', cluster.podSubnet, "couldn't parse subnet");
    const mask = Number(cluster.controllerManager.extraArgs.find(({ name }) => name === 'node-cidr-mask-size')?.value ?? '24');
    if (pods.size < 10) throw invalid('networking.podSubnet', cluster.podSubnet, 'subnet with 10 address(es) is required');
    if (mask - pods.prefix > 16) {
      const why = `pod subnet mask (${pods.prefix}) and node-mask (${mask}) difference is greater than 16`;
      throw invalid('networking.podSubnet', cluster.podSubnet, why);
    }
    if (pods.prefix > mask) {
      throw invalid(
        'networking.podSubnet',
        cluster.podSubnet,
        `the size of pod subnet with mask ${pods.prefix} is smaller than the size of node subnet with mask ${mask}`,
      );
    }
  }
  if (!isSubdomain(cluster.dnsDomain))
    throw invalid('networking.dnsDomain', cluster.dnsDomain, 'a lowercase RFC 1123 subdomain is expected');
  if (!ALGORITHMS.includes(cluster.algorithm)) {
    throw invalid(
      'encryptionAlgorithm',
      cluster.algorithm,
      `invalid encryption algorithm. Must be one of ${ALGORITHMS.join(', ')}`,
    );
  }
  const gate = Object.keys(cluster.featureGates).find((name) => !KNOWN_GATES.includes(name));
  if (gate !== undefined) throw invalid('featureGates', gate, `${gate} is not a valid feature name.`);
  for (const [field, path] of [
    ['etcd.local.dataDir', cluster.etcd.dataDir],
    ['certificatesDir', cluster.certificatesDir],
  ] as const)
    if (!isAbsolute(path)) throw invalid(field, path, 'path is not absolute');
  if (!/^[a-z0-9]+([._:/-]+[a-z0-9]+)*$/.test(cluster.imageRepository))
    throw invalid('imageRepository', cluster.imageRepository, 'invalid image repository format');
  if (cluster.controlPlaneEndpoint !== '' && !isHostPort(cluster.controlPlaneEndpoint)) {
    throw invalid('controlPlaneEndpoint', cluster.controlPlaneEndpoint, 'invalid format, must be a host or host:port');
  }
  for (const name of cluster.apiServer.certSans) {
    if (!isIpv4(name) && !isSubdomain(name.replace(/^\*\./, '')))
      throw invalid(
        'apiServer.certSANs',
        name,
        'altname is not a valid IP address, DNS label or a DNS label with subdomain wildcards',
      );
  }
}

/** `host` or `host:port`, the host an IPv4 address or a DNS name. */
export function isHostPort(text: string): boolean {
  const match = /^([^:/]+)(:(\d+))?$/.exec(text);
  const [host, port] = [match?.[1] ?? '', match?.[3]];
  return isSubdomain(host) && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535));
}

/** The document that goes into the ConfigMap `kubeadm-config`, in v1beta4. */
export function clusterDocument(cluster: ClusterSettings): JsonObject {
  const args = (list: Argument[]): JsonObject[] => list.map(({ name, value }) => ({ name, value }));
  const component = (list: Argument[]): JsonObject => (list.length === 0 ? {} : { extraArgs: args(list) });
  const period = (count: number): string => `${count * 24}h0m0s`;
  return {
    apiServer: {
      ...component(cluster.apiServer.extraArgs),
      ...(cluster.apiServer.certSans.length === 0 ? {} : { certSANs: cluster.apiServer.certSans }),
    },
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    caCertificateValidityPeriod: period(cluster.caDays),
    certificateValidityPeriod: period(cluster.certificateDays),
    certificatesDir: cluster.certificatesDir,
    clusterName: cluster.clusterName,
    ...(cluster.controlPlaneEndpoint === '' ? {} : { controlPlaneEndpoint: cluster.controlPlaneEndpoint }),
    controllerManager: component(cluster.controllerManager.extraArgs),
    dns: cluster.dnsDisabled ? { disabled: true } : {},
    encryptionAlgorithm: cluster.algorithm,
    etcd: {
      local: {
        dataDir: cluster.etcd.dataDir,
        ...component(cluster.etcd.extraArgs),
        ...(cluster.etcd.serverSans.length === 0 ? {} : { serverCertSANs: cluster.etcd.serverSans }),
        ...(cluster.etcd.peerSans.length === 0 ? {} : { peerCertSANs: cluster.etcd.peerSans }),
      },
    },
    imageRepository: cluster.imageRepository,
    kind: 'ClusterConfiguration',
    kubernetesVersion: cluster.kubernetesVersion,
    networking: {
      dnsDomain: cluster.dnsDomain,
      ...(cluster.podSubnet === '' ? {} : { podSubnet: cluster.podSubnet }),
      serviceSubnet: cluster.serviceSubnet,
    },
    proxy: cluster.proxyDisabled ? { disabled: true } : {},
    scheduler: component(cluster.scheduler.extraArgs),
  };
}
