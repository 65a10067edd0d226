import type { MachineStepInput, PackageFileRef } from '@windlass/driver-kit';
import type { RegistryProxies } from './parameters.js';

// What the actions of the registry's VM take and give.

/**
 * The image that Docker Hub has as `registry:2.8.3`, for every architecture; the digest makes each pull the same. A newer image is named by the
 * request, or replaces this one in a release.
 */
export const PULLED = 'registry:2.8.3@sha256:a3d8aaa63ed8681a604f1dea0aa03f100d5895b6a58ace528858a7b332415373';

/** What runs containers there. */
export type Engine = 'docker' | 'none';

/** How the registry is closed, without a secret: the files that have them are those of `secure-registry`. */
export interface RegistryAccess {
  login: boolean;
  /** SHA-256 of the certificate, PEM; absent without TLS. */
  certificate?: string;
}

export interface RegistryLogin {
  username: string;
  password: string | number;
}

export interface SecureRegistryInput extends MachineStepInput {
  login?: RegistryLogin;
  tls?: { certificate: string; key: string };
}

export interface InstallEngineInput extends MachineStepInput {
  proxy?: RegistryProxies;
}

export interface InstallEngineOutput {
  engine: Engine;
  /** Why no engine runs containers, in the engine's words. */
  why?: string;
}

export interface LoadImageInput extends MachineStepInput {
  engine: Engine;
  /** The image's archive in the package; the image is pulled unless given. */
  archive?: PackageFileRef;
  /** The image to pull; {@link PULLED} unless given. */
  pulls?: string;
}

export interface LoadImageOutput {
  /** As the engine calls it; empty where there is no engine. */
  image: string;
}

export interface RunRegistryInput extends MachineStepInput {
  engine: InstallEngineOutput;
  image: string;
  port: number;
  /** Where the registry answers. Plans of earlier releases have none: the registry then listens everywhere, and is open. */
  serves?: ServedAt;
}

/** Where the registry answers, and whom. */
export interface ServedAt {
  /** The CP whose address it listens at; see `listenAddress`. */
  cp?: string;
  access: RegistryAccess;
}

export interface RunRegistryOutput {
  /** What a person should know of it: the operation's warnings, by the trait `contributes`. */
  notes?: string[];
}

export interface VerifyRegistryInput extends MachineStepInput {
  engine: Engine;
  port: number;
  serves?: ServedAt;
  /** The login of the registry, where it has one. */
  login?: RegistryLogin;
}
