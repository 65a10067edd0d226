import { env } from 'node:process';

/** A variable of a container. */
export interface EnvVar {
  name: string;
  value: string;
}

/**
 * What kubeadm copies from its own environment into the static pods of the control plane (not etcd's) and into kube-proxy's DaemonSet: its
 * `GetProxyEnvVars` takes every variable whose name, in small letters, ends with `_proxy`, passwords in its value and all.
 * @param environment of kubeadm's process, which is copied here and configures nothing
 */
export const proxyVariables = (environment: Readonly<Record<string, string | undefined>> = env): EnvVar[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    name.toLowerCase().endsWith('_proxy') && value !== undefined && value !== '' ? [{ name, value }] : [],
  );
