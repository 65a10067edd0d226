import { Readable } from 'node:stream';
import type { PackageFileRef } from '@windlass/driver-kit';
import { minutes, seconds } from '@windlass/foundation';
import { LOOK } from '@windlass/driver-kit';
import { cmd } from '@windlass/mgmt-driver';
import { implementAction, present } from '@windlass/saga';
import { declared } from './action.js';
import { lineAfter } from './marked-line.js';
import type { RegistryContext } from './registry-context.js';
import { LOAD_IMAGE, LOADED, OWN, PULL_IMAGE } from './scripts.js';
import { PULLED, type LoadImageInput, type LoadImageOutput } from './step-inputs.js';

type Context = RegistryContext<LoadImageInput>;

/** Brings the registry's image to the engine: loaded from the package, or pulled. */
export const loadImage = implementAction(declared<LoadImageInput, LoadImageOutput>('load-image'), {
  check: async (context: Context) => {
    const { engine, archive, pulls = PULLED } = context.input;
    if (engine === 'none') return false;
    const image = archive === undefined ? pulls : await loaded(context, archive);
    if (image === '' || !(await context.sees(cmd`docker image inspect ${image}`))) return false;
    return present<LoadImageOutput>({ image });
  },
  apply: async (context) => {
    const { engine, archive } = context.input;
    if (engine === 'none') return { image: '' };
    const image = archive === undefined ? await pull(context) : await load(context, archive);
    return { image };
  },
  stop: (context) => context.stop(),
  retry: { attempts: 3, backoff: seconds(10), growth: 2 },
});

/** The name that the archive's image was loaded under; empty where it was not. */
async function loaded({ host }: Context, { sha256 }: PackageFileRef): Promise<string> {
  const { stdout } = await host.run(cmd`cat ${LOADED}`, { within: LOOK, sudo: true, expect: 'any' });
  return lineAfter(`${sha256} `, stdout);
}

/** Streams the archive to the VM, which removes it once it is loaded: an image of any size is never held here, nor twice there. */
async function load(context: Context, archive: PackageFileRef): Promise<string> {
  const { host, packages, run } = context;
  const path = `${OWN}/image.tar`;
  if (!(await context.sees(cmd`sha256sum --check --status`, `${archive.sha256}  ${path}\n`))) {
    context.progress(`sending ${archive.path} (${archive.size} bytes)`);
    await host.files.put(path, Readable.from(packages.stream(archive, run.signal)), { mode: 0o600, parents: true });
  }
  const { stdoutTail } = await context.script('load-image', {
    text: LOAD_IMAGE,
    within: minutes(30),
    arguments: () => [path, archive.sha256, archive.path],
  });
  return lineAfter('image: ', stdoutTail);
}

async function pull(context: Context): Promise<string> {
  const { stdoutTail } = await context.script('pull-image', {
    text: PULL_IMAGE,
    within: minutes(30),
    arguments: () => [context.input.pulls ?? PULLED],
  });
  return lineAfter('image: ', stdoutTail);
}
