import { REGISTRY_SERVICE, type MachineStepInput, type PackageFileRef } from '@windlass/driver-kit';
import { defineAction } from '@windlass/saga';
import type { RegistryProxies } from './parameters.js';

// What the actions of the registry's VM take and give. The work is in the file of the same name beside this one.

/** What runs containers there. */
export type Engine = 'docker' | 'none';

export interface InstallEngineInput extends MachineStepInput {
  proxy?: RegistryProxies;
}

export interface InstallEngineOutput {
  engine: Engine;
  /** Why there is none, in the engine's words. */
  why?: string;
}

export interface LoadImageInput extends MachineStepInput {
  engine: Engine;
  /** It is pulled unless given. */
  archive?: PackageFileRef;
}

export interface LoadImageOutput {
  /** As the engine calls it; empty where there is no engine. */
  image: string;
}

export interface RunRegistryInput extends MachineStepInput {
  engine: InstallEngineOutput;
  image: string;
  port: number;
}

export interface RunRegistryOutput {
  /** What a person should know of it: the operation's warnings, by the trait `contributes`. */
  notes?: string[];
}

export interface VerifyRegistryInput extends MachineStepInput {
  engine: Engine;
  port: number;
}

const service = REGISTRY_SERVICE;

/** Installs what runs containers, and has it run one. */
export const installEngine = defineAction<InstallEngineInput, InstallEngineOutput>({
  service,
  name: 'install-engine',
  version: 1,
});

/** Brings the registry's image to the engine, from the package or from the network. */
export const loadImage = defineAction<LoadImageInput, LoadImageOutput>({ service, name: 'load-image', version: 1 });

/** Runs the registry, now and after each restart: the container, or where none runs the program by itself. */
export const runRegistry = defineAction<RunRegistryInput, RunRegistryOutput>({ service, name: 'run-registry', version: 1 });

/** Waits until the registry answers. */
export const verifyRegistry = defineAction<VerifyRegistryInput>({ service, name: 'verify-registry', version: 1 });

/** Every action of the registry's VM. */
export const privateRegistryActions = [installEngine, loadImage, runRegistry, verifyRegistry];
