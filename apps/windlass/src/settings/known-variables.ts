import { InfraDriverConfig } from '@windlass/infra-driver/config';
import { K8sMgmtConfig } from '@windlass/k8s-mgmt/config';
import { LcmApiConfig, packagesOf } from '@windlass/lcm-api/config';
import { Config as RegistryMgmtConfig } from '@windlass/registry-mgmt/config';
import { CoordinatorConfig, nfvoOf } from '@windlass/saga-coordinator/config';
import { outboundOf, readConfig, shownDefault, variablesOf, vimRulesOf, type Environment } from '@windlass/service-kit';
import { Config as StorageMgmtConfig } from '@windlass/storage-mgmt/config';
import { VimRegistryConfig } from '@windlass/vim-registry/config';

/** A variable that services of the all-in-one are configured by. */
export interface KnownVariable {
  name: string;
  /** Never shown, and given by `<NAME>_FILE` too. */
  secret: boolean;
  /** It names a file or a folder. */
  path: boolean;
  /** As one would write it; undefined where there is none. */
  default: string | undefined;
  /** The services that read it. */
  services: readonly string[];
}

/** How the configuration of one service is read. */
interface Reading {
  config: new () => object;
  /** Reads it as the service does at its start, with what belongs together. @throws ConfigError */
  read: (environment: Environment) => void;
}

const reading = <C extends object>(config: new () => C, ...more: ((config: C) => unknown)[]): Reading => ({
  config,
  read: (environment) => {
    const read = readConfig(config, environment);
    for (const each of more) each(read);
  },
});

const READINGS: Readonly<Record<string, Reading>> = {
  'saga-coordinator': reading(CoordinatorConfig, nfvoOf),
  'vim-registry': reading(VimRegistryConfig, vimRulesOf),
  'lcm-api': reading(LcmApiConfig, packagesOf, outboundOf),
  'infra-driver': reading(InfraDriverConfig, vimRulesOf),
  'k8s-mgmt': reading(K8sMgmtConfig, vimRulesOf),
  'storage-mgmt': reading(StorageMgmtConfig, vimRulesOf),
  'registry-mgmt': reading(RegistryMgmtConfig, vimRulesOf),
};

/** Names of variables that are paths without ending in `_FILE`. */
const PATHS = ['LCM_PACKAGE_SIGNERS', 'CALICO_MANIFEST'];

/** Every variable of every service, by its name and in the order of the services. */
export function knownVariables(): ReadonlyMap<string, KnownVariable> {
  const known = new Map<string, KnownVariable>();
  for (const [service, { config }] of Object.entries(READINGS)) {
    const defaults = new config();
    for (const variable of variablesOf(config.prototype as object)) {
      const { name } = variable;
      known.set(name, {
        name,
        secret: variable.secret === true,
        path: name.endsWith('_FILE') || PATHS.includes(name),
        default: shownDefault(variable, Reflect.get(defaults, variable.member)),
        services: [...(known.get(name)?.services ?? []), service],
      });
    }
  }
  return known;
}

/** Reads what a service would be told, as it does. @throws ConfigError in the words of the readers */
export const readAsService = (service: string, environment: Environment): void => READINGS[service]?.read(environment);

/** The services whose configuration is known here. */
export const CONFIGURED_SERVICES: readonly string[] = Object.keys(READINGS);
