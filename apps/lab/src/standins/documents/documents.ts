import { isJsonObject, type JsonObject } from '@windlass/foundation';
import { stringAt } from '../kube/object.js';
import { KUBE_PROXY_CONFIGURATION, KUBELET_CONFIGURATION } from './component-schemas.js';
import { KUBEADM_KINDS } from './kubeadm-schemas.js';
import { checkSchema, type Schema } from './schema.js';

/** A configuration file that can't be used; the message is what the program prints. */
export class DocumentError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DocumentError';
  }
}

const KINDS: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  ...KUBEADM_KINDS,
  'kubelet.config.k8s.io/v1beta1': { KubeletConfiguration: KUBELET_CONFIGURATION },
  'kubeproxy.config.k8s.io/v1alpha1': { KubeProxyConfiguration: KUBE_PROXY_CONFIGURATION },
};

/** Versions of kubeadm's format that were there once. */
const REMOVED = /^kubeadm\.k8s\.io\/v1(alpha\d|beta[12])$/;

/**
 * The YAML documents of a configuration file, each checked against the schema of its kind.
 * @throws DocumentError for bad YAML, an unknown or removed kind, a kind twice, an unknown field or a wrong type
 */
export async function parseDocuments(text: string): Promise<JsonObject[]> {
  const { parseAllDocuments } = await import('yaml');
  const documents: JsonObject[] = [];
  for (const document of parseAllDocuments(text)) {
    const [error] = document.errors;
    if (error !== undefined)
      throw new DocumentError(`error converting YAML to JSON: yaml: ${error.message.split('\n')[0] ?? ''}`);
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (value === null) continue;
    if (!isJsonObject(value)) throw new DocumentError('error unmarshaling JSON: a document must be an object');
    documents.push(checkedDocument(value));
  }
  const kinds = documents.map((document) => stringAt(document, 'kind'));
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined)
    throw new DocumentError(`invalid configuration: kind "${twice}" is specified twice in the given config file`);
  return documents;
}

function checkedDocument(document: JsonObject): JsonObject {
  const [apiVersion, kind] = [stringAt(document, 'apiVersion') ?? '', stringAt(document, 'kind') ?? ''];
  if (apiVersion === '' || kind === '') {
    throw new DocumentError(
      `invalid configuration for GroupVersionKind ${apiVersion}, Kind=${kind}: kind and apiVersion is mandatory information that must be specified`,
    );
  }
  if (REMOVED.test(apiVersion)) {
    throw new DocumentError(
      `your configuration file uses an old API spec: "${apiVersion}" (kind: "${kind}"). Please use kubeadm v1.22 instead and run 'kubeadm config migrate --old-config old.yaml --new-config new.yaml', which will write the new, similar spec using a newer API version.`,
    );
  }
  const schema = KINDS[apiVersion]?.[kind];
  if (schema === undefined) throw new DocumentError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  const errors = checkSchema(document, schema);
  if (errors.length > 0) {
    throw new DocumentError(
      `error unmarshaling configuration schema.GroupVersionKind{${apiVersion}, Kind=${kind}}: strict decoding error: ${errors.join(', ')}`,
    );
  }
  return document;
}
