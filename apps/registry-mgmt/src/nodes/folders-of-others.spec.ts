import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONNECT_REGISTRIES } from './scripts.js';

const CERTS = 'etc/containerd/certs.d';
const FOLDERS = 'var/lib/windlass/registry-folders';

/** A node whose containerd has looked into Docker's folder too, in which somebody has put what it should know of two registries. */
describe('what containerd was told of registries in another folder', () => {
  let node: ScriptBench;
  beforeEach(() => {
    node = new ScriptBench().programs('systemctl');
    node.program('ctr', `echo 'io.containerd.grpc.v1 cri linux/amd64 ok'`);
    node.file('etc/hosts', '127.0.0.1 localhost\n').file('names', '').file('empty', '');
    node.file('etc/docker/certs.d/theirs.example.com/ca.crt', 'theirs');
    node.file('etc/docker/certs.d/10.0.0.5_5000_/hosts.toml', 'of the other spelling');
    node.file('file-0', `${node.at('etc/docker/certs.d')}\n`).file('hosts.toml', 'ours');
  });
  afterEach(() => node.remove());

  const connect = async (...lines: string[]): Promise<void> => {
    const manifest = [`put 644 file-0 /${FOLDERS}`, ...lines].map((line) => line.replaceAll(/ \/(etc|var)/g, ` ${node.root}/$1`));
    node.file('manifest', manifest.map((line) => `${line}\n`).join(''));
    expect(await node.run(CONNECT_REGISTRIES, [node.at('manifest')])).toMatchObject({ status: 0, stderr: '' });
  };
  const links = `links /${FOLDERS}`;
  const puts = (server: string): string => `put 644 hosts.toml /${CERTS}/${server}/hosts.toml`;

  it('is linked into the one that it looks into now, and a second time nothing is done', async () => {
    await connect(links);
    expect(readlinkSync(node.at(`${CERTS}/theirs.example.com`))).toBe(node.at('etc/docker/certs.d/theirs.example.com'));
    expect(readFileSync(node.at(`${CERTS}/10.0.0.5_5000_/hosts.toml`), 'utf8')).toBe('of the other spelling');
    await connect(links);
    expect(existsSync(node.at(`${CERTS}/theirs.example.com/theirs.example.com`))).toBe(false);
  });

  it('gives way to a registry of the request, and is neither written to nor removed for it', async () => {
    await connect(links);
    await connect(puts('theirs.example.com'), puts('10.0.0.5:5000'), `gone /${CERTS}/theirs.example.com/ca.crt`, links);
    expect(lstatSync(node.at(`${CERTS}/theirs.example.com`)).isSymbolicLink()).toBe(false);
    expect(readFileSync(node.at(`${CERTS}/theirs.example.com/hosts.toml`), 'utf8')).toBe('ours');
    // containerd looks for this spelling first.
    expect(existsSync(node.at(`${CERTS}/10.0.0.5_5000_`))).toBe(false);
    expect(node.read('etc/docker/certs.d/theirs.example.com/ca.crt')).toBe('theirs');
    expect(node.has('etc/docker/certs.d/theirs.example.com/hosts.toml')).toBe(false);
  });

  it('is there again once the request’s registry is forgotten', async () => {
    await connect(puts('theirs.example.com'), links);
    await connect(`gone /${CERTS}/theirs.example.com/hosts.toml`, links);
    expect(readFileSync(node.at(`${CERTS}/theirs.example.com/ca.crt`), 'utf8')).toBe('theirs');
  });

  it('may be nothing: a folder that is not there, an entry that is no folder', async () => {
    node.file('file-0', `${node.at('etc/none')}\n${node.at('etc/docker')}\n`).file('etc/docker/daemon.json', '{}');
    await connect(links);
    expect(existsSync(node.at(`${CERTS}/daemon.json`))).toBe(false);
  });
});
