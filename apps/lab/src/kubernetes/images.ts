import { copyFile, chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { removeFolder } from '../debian/cache.js';
import { run } from '../debian/command.js';
import { makeFolders } from '../debian/write-tree.js';
import { ImageLayout, type Descriptor, type ImageDefaults } from './image-layout.js';
import { KUBERNETES_PROGRAMS, PART_VERSIONS, REAL_KUBERNETES_VERSIONS } from './versions.js';

/** An image that verify-cluster and tests run: a shell, wget, nslookup and httpd. */
export const TEST_IMAGE = 'docker.io/library/busybox:1.36';

/** Debian's packages whose files are below kube-proxy, flannel and the test image; of each only the files are taken. */
export const IMAGE_TOOLS: readonly string[] = [
  ...['busybox', 'libc6', 'conntrack', 'iptables', 'iproute2', 'kmod', 'ca-certificates', 'netbase'],
  ...['libxtables12', 'libip4tc2', 'libip6tc2', 'libmnl0', 'libnftnl11', 'libnfnetlink0', 'libnetfilter-conntrack3'],
  ...[
    'libkmod2',
    'libzstd1',
    'liblzma5',
    'libssl3',
    'libbpf1',
    'libbsd0',
    'libmd0',
    'libelf1',
    'zlib1g',
    'libcap2',
    'libselinux1',
    'libpcre2-8-0',
  ],
  ...['libdb5.3', 'libtirpc3', 'libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libcom-err2', 'libkrb5support0', 'libkeyutils1'],
];

/** One image: what lies in it beside the tools. */
interface ImagePart {
  names: readonly string[];
  /** Files by path in the image; the values are relative to the folder of binaries. */
  files: Readonly<Record<string, string>>;
  /** On top of Debian's tools. */
  withTools?: boolean;
  defaults?: ImageDefaults;
}

const { etcd, coredns, flannel } = PART_VERSIONS;

function imageParts(): ImagePart[] {
  const controlPlane = KUBERNETES_PROGRAMS.filter((program) => program.startsWith('kube-'));
  const kubernetes = REAL_KUBERNETES_VERSIONS.flatMap((version) =>
    controlPlane.map((program) => ({
      names: [`registry.k8s.io/${program}:v${version}`],
      files: { [`/usr/local/bin/${program}`]: `v${version}/${program}` },
      withTools: program === 'kube-proxy',
    })),
  );
  return [
    ...kubernetes,
    {
      names: [`registry.k8s.io/etcd:${etcd}-0`],
      files: { '/usr/local/bin/etcd': 'etcd', '/usr/local/bin/etcdctl': 'etcdctl', '/usr/local/bin/etcdutl': 'etcdutl' },
    },
    {
      names: [`registry.k8s.io/coredns/coredns:v${coredns}`],
      files: { '/coredns': 'coredns' },
      defaults: { entrypoint: ['/coredns'] },
    },
    {
      // kubeadm 1.34's own, and those that containerd asks for where its configuration was left as it is.
      names: ['3.10.1', '3.10', '3.8', '3.6'].map((tag) => `registry.k8s.io/pause:${tag}`),
      files: { '/pause': 'pause' },
      defaults: { entrypoint: ['/pause'] },
    },
    {
      names: [`ghcr.io/flannel-io/flannel:v${flannel}`],
      files: { '/opt/bin/flanneld': 'flanneld' },
      withTools: true,
      defaults: { entrypoint: ['/opt/bin/flanneld'] },
    },
    { names: [FLANNEL_PLUGIN_IMAGE], files: { '/flannel': 'flannel-cni' }, withTools: true },
    { names: [TEST_IMAGE], files: {}, withTools: true, defaults: { command: ['sh'] } },
  ];
}

/** By the name that flannel's own manifest gives it beside {@link PART_VERSIONS}. */
const FLANNEL_PLUGIN_IMAGE = 'ghcr.io/flannel-io/flannel-cni-plugin:v1.9.1-flannel3';

/** What decides the images' content beside the binaries. */
export const imageRecipe = (): unknown => ({ format: 2, tools: IMAGE_TOOLS, wget: WGET, parts: imageParts() });

/**
 * Makes all images into one layout.
 * @param debs folder with the .deb files of {@link IMAGE_TOOLS}
 */
export async function writeImages(folder: string, binaries: string, debs: string): Promise<void> {
  const layout = await ImageLayout.begin(folder);
  const tools = await inFolder(async (tree) => {
    await layTools(tree, debs);
    return layout.layer(tree);
  });
  for (const { names, files, withTools = false, defaults = {} } of imageParts()) {
    const own: Descriptor[] = [];
    if (Object.keys(files).length > 0) {
      own.push(
        await inFolder(async (tree) => {
          await layFiles(tree, binaries, files);
          return layout.layer(tree);
        }),
      );
    }
    await layout.image(names, [...(withTools ? [tools] : []), ...own], defaults);
  }
  await layout.finish();
}

async function inFolder<T>(use: (tree: string) => Promise<T>): Promise<T> {
  const tree = await mkdtemp(path.join(os.tmpdir(), 'windlass-image-'));
  try {
    await chmod(tree, 0o755);
    return await use(tree);
  } finally {
    await removeFolder(tree);
  }
}

async function layFiles(tree: string, binaries: string, files: Readonly<Record<string, string>>): Promise<void> {
  // A program may want to write here, whatever image it is in.
  await mkdir(path.join(tree, 'tmp'));
  await chmod(path.join(tree, 'tmp'), 0o1777);
  for (const [target, source] of Object.entries(files)) {
    await makeFolders(tree, path.dirname(target).slice(1));
    const file = path.join(tree, target);
    await copyFile(path.join(binaries, source), file);
    await chmod(file, 0o755);
  }
}

/** What an image needs no more than a VM does. */
const LEFT_OUT = ['./usr/share/doc', './usr/share/man', './usr/share/locale', './usr/share/lintian'];

const IPTABLES = ['iptables', 'iptables-save', 'iptables-restore', 'ip6tables', 'ip6tables-save', 'ip6tables-restore'];

/** Debian's busybox ends with a segmentation fault where its wget is given a time limit: timeout keeps it in its place. */
const WGET = `#!/bin/sh
limit='' next=''
for argument do
  shift
  if [ -n "$next" ]; then limit=$argument next=''; continue; fi
  case $argument in
    -T) next=1 ;;
    -T*) limit=\${argument#-T} ;;
    --timeout=*) limit=\${argument#--timeout=} ;;
    *) set -- "$@" "$argument" ;;
  esac
done
if [ -n "$limit" ]; then exec timeout "$limit" busybox wget "$@"; fi
exec busybox wget "$@"
`;

/** Debian's tools in a folder with the merged /usr that its packages are made for. */
export async function layTools(tree: string, debs: string): Promise<void> {
  for (const name of ['usr/bin', 'usr/sbin', 'usr/lib', 'usr/lib64']) await makeFolders(tree, name);
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await symlink(`usr/${name}`, path.join(tree, name));
  for (const deb of (await readdir(debs)).sort()) {
    const files = path.join(tree, 'files.tar');
    await run('sh', ['-c', 'exec dpkg-deb --fsys-tarfile "$1" > "$2"', 'sh', path.join(debs, deb), files]);
    // The links above stay where a package still names /bin or /lib.
    await run('tar', ['-C', tree, '--keep-directory-symlink', ...LEFT_OUT.map((name) => `--exclude=${name}`), '-xf', files]);
    await rm(files);
  }
  for (const name of IPTABLES) await symlink('xtables-nft-multi', path.join(tree, 'usr/sbin', name));
  await writeFile(path.join(tree, 'usr/bin/wget'), WGET, { mode: 0o755 });
  const applets = (await run('chroot', [tree, '/bin/busybox', '--list'])).split('\n').filter((line) => line !== '');
  const present = new Set([...(await readdir(path.join(tree, 'usr/bin'))), ...(await readdir(path.join(tree, 'usr/sbin')))]);
  for (const applet of applets) if (!present.has(applet)) await symlink('busybox', path.join(tree, 'usr/bin', applet));
  await mkdir(path.join(tree, 'tmp'));
  await chmod(path.join(tree, 'tmp'), 0o1777);
}
