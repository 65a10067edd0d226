import type { Json, JsonObject } from '@windlass/foundation';
import type { RegisteredVim } from '@windlass/lifecycle';
import type { VimView } from '@windlass/messaging';
import { openStackAccessBy } from '@windlass/persistence';
import { SHOWN_EXTRA } from '@windlass/sol003';

/** A VIM as vim-registry shows it, in the words of requests: each member under every name that clients use. Only vim-registry opens credentials. */
export function registeredVimOf(view: VimView): RegisteredVim {
  const extra = Object.entries(view.extra);
  const isShown = (name: string): boolean => (SHOWN_EXTRA as readonly string[]).includes(name);
  return {
    ...(view.type === 'openstack' ? shownOpenStack(view) : shownCluster(view)),
    extra: Object.fromEntries(extra.filter(([name]) => isShown(name))),
    secretExtra: extra.map(([name]) => name).filter((name) => !isShown(name)),
  };
}

type ShownConnection = Pick<RegisteredVim, 'accessInfo' | 'interfaceInfo'>;

function shownCluster({ auth_url: authUrl, auth_cred: { ssl_ca_cert: ca } }: VimView): ShownConnection {
  const ofCa = typeof ca === 'string' && ca !== '' ? ca : undefined;
  return {
    accessInfo: { ...named(['authUrl', 'auth_url'], authUrl), ...named(['ssl_ca_cert', 'ca_cert'], ofCa) },
    interfaceInfo: interfaceInfo(authUrl, true, ofCa),
  };
}

function shownOpenStack(view: VimView): ShownConnection {
  const { user_id: userId } = view.auth_cred;
  const row = { authUrl: view.auth_url, placementAttr: view.placement_attr, vimProject: view.vim_project };
  const access = openStackAccessBy(row, view.auth_cred);
  const { authUrl, region, username, userDomainName, projectName, projectDomainName, verifyTls, ca } = access;
  const { projectId, userDomainId, projectDomainId } = access;
  return {
    accessInfo: {
      ...named(['authUrl', 'auth_url'], authUrl),
      ...named(['region'], region),
      ...named(['username'], username),
      ...named(['user_id', 'userId'], userId),
      ...named(['userDomain', 'userDomainName', 'user_domain_name'], userDomainName),
      ...named(['userDomainId', 'user_domain_id'], userDomainId),
      ...named(['project', 'projectName', 'project_name', 'tenant', 'tenant_name'], projectName),
      ...named(['project_id', 'projectId'], projectId),
      ...named(['projectDomain', 'projectDomainName', 'project_domain_name'], projectDomainName),
      ...named(['projectDomainId', 'project_domain_id'], projectDomainId),
      ...named(['cert_verify'], verifyTls),
      ...named(['ca_cert'], ca),
    },
    interfaceInfo: interfaceInfo(authUrl, verifyTls, ca),
  };
}

const interfaceInfo = (endpoint: string, verifyTls: boolean, ca: string | undefined): JsonObject => ({
  endpoint,
  skipCertificateVerification: !verifyTls,
  skipCertificateHostnameCheck: !verifyTls,
  ...named(['trustedCertificates'], ca),
});

/** A value by each of the names that clients have for it; nothing where it is not registered. */
const named = (names: readonly string[], value: Json | undefined): JsonObject =>
  value === undefined ? {} : Object.fromEntries(names.map((name) => [name, value]));
