import { Secret, TerminalError } from '@windlass/foundation';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where the command line was called, and where it lies. */
export interface Surroundings {
  /** The project's folder. */
  home: string;
  /** The folder it was called from: relative paths mean this. */
  calledFrom: string;
  /** What is kept between runs and can be removed at any time. */
  cache: string;
  /** Where OpenStack's own clients would ask: set where `OS_AUTH_URL` is. */
  openstack?: OpenStackEnvironment;
}

/** The `OS_*` variables of the environment, as OpenStack's own clients read them. */
export interface OpenStackEnvironment {
  /** All but the password; empty ones are left out. */
  variables: Readonly<Record<string, string>>;
  password: Secret | undefined;
  /** VIM_PROXY, as the services have it; `except` is the text of VIM_NO_PROXY. */
  proxy?: { url: Secret; except: string };
}

function openstackOf(env: NodeJS.ProcessEnv): OpenStackEnvironment | undefined {
  const { OS_PASSWORD: password, VIM_PROXY: proxy = '', VIM_NO_PROXY: except = '', ...others } = env;
  const given = Object.entries(others).flatMap(([name, value]) =>
    name.startsWith('OS_') && value !== undefined && value !== '' ? [[name, value] as const] : [],
  );
  const variables = Object.fromEntries(given);
  if (variables.OS_AUTH_URL === undefined) return undefined;
  return {
    variables,
    password: password === undefined || password === '' ? undefined : new Secret(password),
    ...(proxy === '' ? {} : { proxy: { url: new Secret(proxy), except } }),
  };
}

/** Reads the environment once. */
export function surroundings(env: NodeJS.ProcessEnv = process.env): Surroundings {
  const home = env.WINDLASS_HOME ?? resolve(import.meta.dirname, '../../../..');
  const openstack = openstackOf(env);
  return {
    home,
    calledFrom: env.WINDLASS_CALLED_FROM ?? process.cwd(),
    cache: env.WINDLASS_CACHE ?? join(homedir(), '.cache/windlass'),
    ...(openstack === undefined ? {} : { openstack }),
  };
}

/** Where services may connect to: an operator's word, no secret. */
const REACH = ['VIM_ALLOW', 'VIM_DENY', 'VIM_ONLY', 'OUTBOUND_ALLOW', 'OUTBOUND_DENY', 'OUTBOUND_ONLY', 'OUTBOUND_PRIVATE'];

/** What services inherit of our own environment: nothing that could hold a secret. */
export function inherited(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const passed = ['PATH', 'HOME', 'LANG', 'TZ', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'LOG_LEVEL', ...REACH];
  return Object.fromEntries(passed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** The whole environment that we were called in. */
export const ownEnvironment = (env: NodeJS.ProcessEnv = process.env): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** What this process was called with. */
export const ownWords = (): readonly string[] => process.argv.slice(2);

/** Where {@link oneProcessEnvironments} finds what each service of a shared process is told. */
export const ONE_PROCESS_VARIABLE = 'WINDLASS_SERVICE_ENVIRONMENTS';

/** The environment of each service that shares this process, by the service's name. @throws TerminalError when it is not there */
export function oneProcessEnvironments(env: NodeJS.ProcessEnv = process.env): Record<string, Record<string, string>> {
  const text = env[ONE_PROCESS_VARIABLE];
  if (text === undefined)
    throw new TerminalError(
      'config.one-process',
      `${ONE_PROCESS_VARIABLE} is not set: "windlass up --one-process" starts this program`,
    );
  return JSON.parse(text) as Record<string, Record<string, string>>;
}
