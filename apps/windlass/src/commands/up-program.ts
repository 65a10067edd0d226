import type { ApiClient } from '../client/api-client.js';
import type { LabInfo } from '../deployment/runtime-file.js';
import type { ShownSetting } from '../settings/settings.js';
import type { SettingOptions } from './setting-options.js';

/** A lab that runs beside the services and is their default VIM. The product has none; the workbench brings one. */
export interface BroughtLab {
  info: LabInfo;
  /** Environment of the services beside what is always set. @param given what the service is told besides */
  environment: (service: string, given: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
  /** What of it an operator should know. */
  shown: readonly ShownSetting[];
  /** Makes it the default VIM, and tells its catalog where the REST API is. */
  register(api: ApiClient, url: string): Promise<void>;
  stop(): Promise<void>;
}

/** The lab that is asked for. */
export interface LabWish {
  dataDir: string;
  cache: string;
  say: (line: string) => void;
  /** One of {@link UpProgram.labKubernetes}. */
  kubernetes?: string;
}

/** What `up` is a command of. */
export interface UpProgram {
  /** Path of the program that `--detach` starts, with `up` and its options. */
  program: string;
  /** Starts a lab in a data folder. Without it there is no `--lab`. */
  bringLab?: (options: LabWish) => Promise<BroughtLab>;
  /** Kinds of Kubernetes that such a lab has, the usual one first. */
  labKubernetes?: readonly string[];
}

/** What `up` is asked for. */
export interface UpOptions extends SettingOptions {
  data?: string;
  port: number;
  publicUrl?: string;
  lab?: boolean;
  kubernetes?: string;
  oneProcess?: boolean;
  replicas?: string[];
  detach?: boolean;
  json?: boolean;
}
