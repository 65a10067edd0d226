import { isJsonObject } from '@windlass/foundation';
import { join } from 'node:path';
import type { Flags } from '../../cli/flags.js';
import type { Io } from '../../cli/program.js';
import { KubeClient } from '../../client/kube-client.js';
import { KubeconfigError, loadKubeconfig, parseKubeconfig } from '../../client/kubeconfig.js';
import type { ConfigMap, Secret } from '../../kube/kinds.js';
import { BOOTSTRAP_TOKEN, newBootstrapToken } from '../../kube/names.js';
import { listAt, stringAt } from '../../kube/object.js';
import { R } from '../../kube/resources.js';
import { publicKeyHash } from '../../pki/certificates.js';
import { humanDuration } from '../../api-server/tables/cells.js';
import { EXIT, failure, line } from '../output.js';
import { releasedVersion } from '../release-channel.js';
import { standinVersion } from '../../programs.js';
import { checkCertificateKey, documentsOf, readToken, refuseMixing } from '../read-init.js';
import { putToken, readStoredToken, tokenSecretName, TOKEN_SECRET_TYPE, type StoredToken } from '../phases/tokens.js';
import { KUBERNETES } from '../settings.js';

/** A client by `--kubeconfig`. @throws ExitError when the file can't be used */
export async function clientOf(flags: Flags): Promise<KubeClient> {
  const path = flags.string('kubeconfig') === '' ? join(KUBERNETES, 'admin.conf') : flags.string('kubeconfig');
  try {
    return new KubeClient(await loadKubeconfig(path));
  } catch (error) {
    if (error instanceof KubeconfigError) throw failure(error.message);
    throw error;
  }
}

export const tokenGenerate = (io: Io): void => line(io, newBootstrapToken());

export async function tokenCreate(flags: Flags, io: Io): Promise<void> {
  if (flags.bool('dry-run')) throw failure('dry-run: not in the windlass-lab stand-in');
  if (flags.positional.length > 1) throw failure(`accepts at most 1 arg(s), received ${flags.positional.length}`);
  refuseMixing(flags);
  const documents = await documentsOf(flags);
  const [first] = listAt(documents.get('InitConfiguration'), 'bootstrapTokens');
  // kubeadm reads the cluster's part of a configuration, too, and with it looks up the version that it does not name.
  if (flags.given('config')) {
    const named = stringAt(documents.get('ClusterConfiguration'), 'kubernetesVersion') ?? '';
    await releasedVersion(named, standinVersion('kubeadm'), io);
  }
  const settings = isJsonObject(first) && flags.given('config') ? readToken(first) : fromFlags(flags);
  checkCertificateKey(flags.string('certificate-key'));
  if (flags.given('certificate-key') && !flags.bool('print-join-command')) {
    throw failure('cannot use --certificate-key without --print-join-command', EXIT.validation);
  }
  const client = await clientOf(flags);
  try {
    const id = settings.token.slice(0, 6);
    if ((await client.find<Secret>(R.secrets, { namespace: 'kube-system', name: tokenSecretName(id) })) !== undefined) {
      throw failure(`a token with id "${id}" already exists`);
    }
    await putToken(client, settings);
    line(
      io,
      flags.bool('print-join-command') ? await joinLine(client, settings.token, flags.string('certificate-key')) : settings.token,
    );
  } finally {
    client.close();
  }
}

function fromFlags(flags: Flags): ReturnType<typeof readToken> {
  const [token] = flags.positional;
  const usages = flags.strings('usages');
  const unknown = usages.find((usage) => !['signing', 'authentication'].includes(usage));
  if (unknown !== undefined)
    throw failure(`invalid bootstrap token usage string: ${unknown}, valid usages: signing, authentication`, EXIT.validation);
  return readToken({
    ...(token === undefined ? {} : { token }),
    description: flags.string('description'),
    ttl: flags.string('ttl'),
    usages,
    groups: flags.strings('groups'),
  });
}

/** The one line with which a node joins, from what the cluster says of itself. */
async function joinLine(client: KubeClient, token: string, certificateKey: string): Promise<string> {
  const map = await client.get<ConfigMap>(R.configmaps, { namespace: 'kube-public', name: 'cluster-info' });
  const { server, ca } = await parseKubeconfig(map.data?.kubeconfig ?? '', '/');
  if (ca === undefined) throw failure('the cluster-info ConfigMap has no CA');
  const controlPlane = certificateKey === '' ? '' : ` --control-plane --certificate-key ${certificateKey}`;
  return `kubeadm join ${server.replace('https://', '')} --token ${token} --discovery-token-ca-cert-hash ${publicKeyHash(ca)}${controlPlane} `;
}

export async function tokenList(flags: Flags, io: Io): Promise<void> {
  const format = flags.string('output');
  if (!['text', 'json'].includes(format)) throw failure(`output format ${format}: the windlass-lab stand-in has text and json`);
  const client = await clientOf(flags);
  const { items } = await client
    .list<Secret>(R.secrets, { namespace: 'kube-system' }, `fieldSelector=${encodeURIComponent(`type=${TOKEN_SECRET_TYPE}`)}`)
    .finally(() => client.close());
  const tokens = items.map(readStoredToken);
  if (format === 'json') {
    for (const entry of tokens) line(io, JSON.stringify(asDocument(entry), undefined, 4));
    return;
  }
  const rows = [['TOKEN', 'TTL', 'EXPIRES', 'USAGES', 'DESCRIPTION', 'EXTRA GROUPS'], ...tokens.map(row)];
  if (tokens.length === 0) return;
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? '').length))) ?? [];
  for (const cells of rows)
    line(
      io,
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    );
}

function row({ token, expiration, usages, description, groups }: StoredToken): string[] {
  const left = expiration === undefined ? '<forever>' : humanDuration((Date.parse(expiration) - Date.now()) / 1_000);
  const none = (text: string): string => (text === '' ? '<none>' : text);
  return [token, left, expiration ?? '<never>', none(usages.join(',')), none(description), none(groups.join(','))];
}

const asDocument = ({ token, expiration, usages, description, groups }: StoredToken): object => ({
  kind: 'BootstrapToken',
  apiVersion: 'output.kubeadm.k8s.io/v1alpha3',
  token,
  ...(description === '' ? {} : { description }),
  ...(expiration === undefined ? {} : { expires: expiration }),
  usages,
  groups,
});

export async function tokenDelete(flags: Flags, io: Io): Promise<void> {
  if (flags.positional.length === 0) throw failure(`missing argument; 'token delete' is missing token of form "[a-z0-9]{6}"`);
  const client = await clientOf(flags);
  try {
    for (const given of flags.positional) {
      const id = BOOTSTRAP_TOKEN.exec(given)?.[1] ?? (/^[a-z0-9]{6}$/.test(given) ? given : undefined);
      if (id === undefined) throw failure(`given token didn't match pattern "[a-z0-9]{6}" or "[a-z0-9]{6}.[a-z0-9]{16}"`);
      const place = { namespace: 'kube-system', name: tokenSecretName(id) };
      if ((await client.find<Secret>(R.secrets, place)) === undefined) {
        throw failure(`failed to delete bootstrap token "${id}": secrets "${tokenSecretName(id)}" not found`);
      }
      await client.delete(R.secrets, place);
      line(io, `bootstrap token "${id}" deleted`);
    }
  } finally {
    client.close();
  }
}
