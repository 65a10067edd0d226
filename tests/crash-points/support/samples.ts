import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { JsonObject } from '@windlass/foundation';
import type { PackageRecord } from '@windlass/lifecycle';
import type { PackageFile } from '@windlass/mgmt-driver';
import type { FakeCluster } from '@windlass/k8s-mgmt/testing';
import type { World } from './world.js';
import { bufferCsarSource, buildCsar, openCsar, readVnfPackage, type Csar } from '@windlass/vnf-package';

const SAMPLES = resolve(import.meta.dirname, '../../../samples');

/** The ids of what the VIM has. */
export interface ThereInVim {
  servers: readonly string[];
  volumes: readonly string[];
}

/** Machines of a world beside the VMs that are nodes. */
export interface OtherMachines {
  /** The contents of the machines. */
  seen(vim: ThereInVim): unknown;
}

/** A sample package as onboarded, and its bytes. */
export interface Sample {
  name: string;
  record: PackageRecord;
  csar: Csar;
  /** Whether the VIM shows the hosts of servers. */
  showHost?: true;
  /** Whether instances share the images of the package. */
  sharesImages?: true;
  /** Machines beside the VMs that are nodes. */
  machines?: (nodes: FakeCluster) => OtherMachines;
  /** `real`: the actions of storage-mgmt and registry-mgmt are real; by default stand-ins. */
  otherServices?: 'real';
  /** Another part of the world that stories compare beside the picture. */
  alsoSeen?: (world: World) => Promise<unknown>;
}

/** Reads a package in memory, as onboarding does. */
export async function readSample(name: string, zip: Buffer): Promise<Sample> {
  const csar = await openCsar(bufferCsarSource(zip));
  const { model } = await readVnfPackage(csar);
  return { name, csar, record: { id: '11111111-1111-4111-8111-111111111111', model, files: await filesOf(csar) } };
}

/** Builds and reads a sample as onboarding does. */
export async function loadSample(name: string): Promise<Sample> {
  const folder = await mkdtemp(join(tmpdir(), 'windlass-csar-'));
  try {
    const file = join(folder, 'package.zip');
    await buildCsar(join(SAMPLES, name), file);
    return await readSample(name, await readFile(file));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The request body of a sample, with the emulator's network in it. */
export async function sampleRequest(name: string): Promise<JsonObject> {
  const text = await readFile(join(SAMPLES, 'requests', name), 'utf8');
  return JSON.parse(text.replaceAll('${NETWORK_ID}', 'net0')) as JsonObject;
}

async function filesOf(csar: Csar): Promise<PackageFile[]> {
  const files: PackageFile[] = [];
  for (const { name, size } of csar.members) {
    const { sha256 } = await csar.digestMember(name, ['sha256']);
    const [first = '', second = ''] = (await csar.readMember(name, 16 * 1024 * 1024)).toString('utf8').split('\n', 2);
    files.push({ path: name, size, sha256, firstLine: (first.startsWith('#!') ? second : first).slice(0, 200) });
  }
  return files;
}
