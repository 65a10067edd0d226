import { csarOf } from '@windlass/vnf-package/testing';
import { describe, expect, it } from 'vitest';
import { packedFiles } from './packed-files.js';

const INSTALL = `#!/bin/bash
# Once: https://old.example.org/
   # and mirror.example.org
set -e
curl -s https://user:pass-word@Packages.Cloud.Google.com/apt/doc/apt-key.gpg | apt-key add -
echo "deb http://apt.kubernetes.io/ kubernetes-xenial main" > /etc/apt/sources.list.d/kubernetes.list # not from there.example.org
ping -c 1 a.b.example && ./other.sh 10.96.0.1 v1.18.2
wget http://files.example/helm-v3.5.4.tar.gz; HOST=bare.example.net
`;

describe('what is kept of a package’s files', () => {
  it('is size, hash and first line; of a script the hosts that its code names, without passwords', async () => {
    const [script] = await packedFiles(await csarOf({ 'Scripts/install.sh': INSTALL }));
    expect(script).toMatchObject({
      path: 'Scripts/install.sh',
      size: INSTALL.length,
      firstLine: '# Once: https://old.example.org/',
    });
    expect(script!.hosts).toEqual(
      expect.arrayContaining(['packages.cloud.google.com', 'apt.kubernetes.io', 'files.example', 'bare.example.net']),
    );
    expect(script!.hosts!.join(' ')).not.toMatch(/old|mirror|pass-word|other\.sh|10\.96|18\.2/);
  });

  it('is of manifests of PersistentVolumes what they name, or why they are none; of other files nothing', async () => {
    const volume = (name: string) =>
      `apiVersion: v1\nkind: PersistentVolume # of NFS\nmetadata: { name: ${name} }\nspec: { nfs: { path: /volume/${name} } }\n`;
    const files = await packedFiles(
      await csarOf({
        'good.yaml': `${volume('a')}---\n${volume('b')}`,
        'bad.yml': `${volume('a')}---\nkind: [\n`,
        'mixed.yaml': `${volume('a')}---\nkind: Secret\n`,
        'claim.yaml': 'kind: PersistentVolumeClaim\n',
        'many.yaml': Array.from({ length: 101 }, (_, n) => volume(`v${n}`)).join('---\n'),
        'note.txt': volume('a'),
      }),
    );
    expect(files.map(({ persistentVolumes }) => persistentVolumes)).toEqual([
      {
        volumes: [
          { name: 'a', path: '/volume/a' },
          { name: 'b', path: '/volume/b' },
        ],
      },
      { volumes: [], fault: expect.stringMatching(/^document 2 is no YAML map: /) as string },
      { volumes: [], fault: 'document 2 is of kind "Secret"; PersistentVolume was expected' },
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has no hosts where a file is no script, or names none, and is bounded', async () => {
    const many = Array.from({ length: 200 }, (_, n) => `curl https://h${n}.example.com/`).join('\n');
    const files = await packedFiles(
      await csarOf({
        'a.yaml': 'url: https://one.example.com',
        'b.sh': 'true',
        c: `#!/bin/sh\n${many}`,
        'd.sh': 'a'.repeat(900_000),
      }),
    );
    expect(files.map(({ hosts }) => hosts?.length)).toEqual([undefined, undefined, 50, undefined]);
  });
});
