import { chmodSync, rmSync, statSync } from 'node:fs';
import { ScriptBench } from '@windlass/driver-kit/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RENEW_CERTIFICATES } from './renewal-script.js';

const PARTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const MARK = 'operation.10.10.0.24';
const MANIFESTS = 'etc/kubernetes/manifests';

const manifest = (name: string, annotation = ''): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:${annotation}\n  labels:\n    component: ${name}\n  name: ${name}\nspec: {}\n`;
const marked = (name: string, mark = MARK): string => manifest(name, `\n  annotations:\n    windlass.dev/renewed-by: ${mark}`);

const kubeconfig = (certificate: string, user = 'kubernetes-admin'): string =>
  `apiVersion: v1\nusers:\n- name: ${user}\n  user:\n    client-certificate-data: ${certificate}\n    client-key-data: key of ${certificate}\n`;

/** At the call of a program that changes something whose number is in `dies-at`: the script ends, as on a machine that is switched off. */
const dying = (node: ScriptBench): string => `
  echo >> ${node.at('changes')}
  mapfile -t passed < ${node.at('changes')}
  if [ "\${#passed[@]}" = "$(< ${node.at('dies-at')})" ]; then
    pid=$PPID victims=
    while tr '\0' ' ' < /proc/$pid/cmdline | grep -F ${node.at('script.sh')} > /dev/null; do
      victims="$victims $pid"
      pid=$(awk '{ print $4 }' /proc/$pid/stat)
    done
    kill -9 $victims
  fi`;

/**
 * A master by kubeadm. Its kubelet starts a part anew as soon as its manifest is another, where the part is not the one in the file `stuck`; what
 * runs is in the folder `running`.
 */
function master(): ScriptBench {
  const node = new ScriptBench();
  const [manifests, running] = [node.at(MANIFESTS), node.at('running')];
  for (const name of PARTS) node.file(`${MANIFESTS}/${name}.yaml`, manifest(name)).file(`running/${name}.yaml`, manifest(name));
  for (const name of ['ca', 'front-proxy-ca', 'etcd/ca']) node.file(`etc/kubernetes/pki/${name}.key`, '');
  for (const name of ['etc/kubernetes/admin.conf', 'home/ubuntu/.kube/config']) node.file(name, kubeconfig('old'));
  chmodSync(node.at('home/ubuntu/.kube/config'), 0o600);
  for (const name of PARTS) chmodSync(node.at(`${MANIFESTS}/${name}.yaml`), 0o640);
  const dies = dying(node);
  const kubelet = `shopt -s extglob\n/bin/cp ${manifests}/!("$(< ${node.at('stuck')})").yaml ${running}`;
  // The mark of what runs.
  const mark = `[[ "$(< ${running}/"$name".yaml)" =~ renewed-by:.([^[:space:]]*) ]]`;
  return node
    .file('dies-at', '-1')
    .file('changes', '')
    .file('stuck', 'nothing')
    .program('kubeadm', `${dies}\nsed -i 's/old/new/' ${node.at('etc/kubernetes/admin.conf')}`)
    .program(
      'crictl',
      `${kubelet}
      case $3 in
        pods) all="$*"; name=\${all##*component=}; if [ -e ${running}/"$name".yaml ]; then echo "$name"; fi ;;
        inspectp) name=$4; ${mark}; echo "\\"windlass.dev/renewed-by\\": \\"\${BASH_REMATCH[1]}\\"" ;;
        ps) echo container ;;
      esac`,
    )
    .program(
      'kubectl',
      `${kubelet}
      case "$*" in
        annotate*)
          ${dies}
          sed -e '/annotations:$/d' -e '/renewed-by/d' -e "s#^metadata:#metadata:\\n  annotations:\\n    \${6/=/: }#" "$5" ;;
        *component=*) all="$*"; name=\${all##*component=}; name=\${name%% *}; ${mark}; echo "\${BASH_REMATCH[1]} True" ;;
      esac`,
    )
    .program('getent', `${dies}\necho ubuntu:x:1000:1000::${node.at('home/ubuntu')}:/bin/bash`)
    .program('mv', `${dies}\n/bin/mv "$@"`)
    .program('cp', `${dies}\n/bin/cp "$@"`)
    .program('sync', dies)
    .program('sleep', '/bin/sleep 0.2');
}

describe('the renewal on a master', () => {
  let node: ScriptBench;
  beforeEach(() => (node = master()));
  afterEach(() => node.remove());

  const renew = (within = '60') => node.run(RENEW_CERTIFICATES, [MARK, '10.10.0.24', 'ubuntu', within]);
  const renewals = () => node.calls.filter((call) => call === 'kubeadm certs renew all').length;
  const stands = (): void => {
    for (const name of PARTS) {
      expect(node.read(`${MANIFESTS}/${name}.yaml`)).toBe(marked(name));
      expect(node.read(`running/${name}.yaml`)).toBe(marked(name));
      expect(statSync(node.at(`${MANIFESTS}/${name}.yaml`)).mode & 0o777).toBe(0o640);
      expect(node.has(`etc/kubernetes/windlass-${name}.yaml`)).toBe(false);
    }
    expect(node.read('home/ubuntu/.kube/config')).toBe(kubeconfig('new'));
    expect(statSync(node.at('home/ubuntu/.kube/config')).mode & 0o777).toBe(0o600);
  };

  it('renews once, and marks each part when the one before runs with the mark and answers: the API server at once with its etcd, without which it would keep whoever is connected waiting', async () => {
    expect(await renew()).toMatchObject({ status: 0, stderr: '' });
    stands();
    const order = node.calls
      .filter((call) => /^kubeadm|^mv .*manifests|etcdctl|readyz|get pods/.test(call))
      .map((call) => /kubeadm|manifests\/\S+|etcdctl|readyz|component=\S+/.exec(call)?.[0]);
    expect(order).toEqual([
      'kubeadm',
      'manifests/etcd.yaml',
      'manifests/kube-apiserver.yaml',
      'etcdctl',
      'readyz',
      'manifests/kube-controller-manager.yaml',
      'component=kube-controller-manager',
      'manifests/kube-scheduler.yaml',
      'component=kube-scheduler',
    ]);
  });

  it('asks nothing of the API before the API server runs anew', async () => {
    await renew();
    const asked = node.calls.findIndex((call) => /^kubectl (?!annotate --local)/.test(call));
    expect(node.calls.slice(0, asked)).toContainEqual(expect.stringMatching(/^mv .*kube-apiserver\.yaml/));
  });

  it('takes the mark of an earlier renewal off', async () => {
    for (const name of PARTS) node.file(`${MANIFESTS}/${name}.yaml`, marked(name, 'earlier.10.10.0.24'));
    expect(await renew()).toMatchObject({ status: 0, stderr: '' });
    expect(renewals()).toBe(1);
    stands();
  });

  it('says what did not come back, may be tried again, and goes on with the others only when it has: nothing is renewed twice', async () => {
    node.file('stuck', 'kube-apiserver');
    const end = await renew('0');
    expect(end.status).toBe(75);
    expect(end.stderr).toContain('kube-apiserver on 10.10.0.24 has new certificates, and did not answer within 0 s');
    expect(node.read(`${MANIFESTS}/kube-controller-manager.yaml`)).toBe(manifest('kube-controller-manager'));
    node.file('stuck', 'nothing');
    expect(await renew()).toMatchObject({ status: 0 });
    expect(renewals()).toBe(1);
    stands();
  });

  it(
    'ends well when it is run again, wherever the machine went down: each manifest is whole at any time',
    { timeout: 120_000 },
    async () => {
      let n = 1;
      for (let died = true; died; n += 1) {
        node.remove();
        node = master().file('dies-at', String(n));
        const { status } = await renew();
        died = status !== 0;
        const [first, ...others] = PARTS.map((name) => node.read(`${MANIFESTS}/${name}.yaml`));
        for (const [at, text] of [first, ...others].entries())
          expect([manifest(PARTS[at]!), marked(PARTS[at]!)], `point ${n}`).toContain(text);
        const before = renewals();
        node.file('dies-at', '-1');
        expect(await renew(), `point ${n}`).toMatchObject({ status: 0, stderr: '' });
        expect(renewals() - before, `point ${n}`).toBe(first === marked('etcd') ? 0 : 1);
        stands();
      }
      expect(n).toBe(22);
    },
  );

  it('passes over an etcd that runs elsewhere', async () => {
    rmSync(node.at(`${MANIFESTS}/etcd.yaml`));
    rmSync(node.at('etc/kubernetes/pki/etcd/ca.key'));
    expect(await renew()).toMatchObject({ status: 0, stderr: '' });
    expect(node.calls.join('\n')).not.toContain('etcdctl');
  });

  it.each([
    [
      'a manifest of kubeadm’s is missing',
      `${MANIFESTS}/kube-scheduler.yaml`,
      'has no .*kube-scheduler.yaml, as a master by kubeadm has',
    ],
    [
      'another runtime has the containers',
      'running/kube-apiserver.yaml',
      'containerd on 10.10.0.24 has no pod of kube-apiserver: retry when it runs',
    ],
    [
      'an authority is elsewhere, of which kubeadm would renew nothing and say nothing',
      'etc/kubernetes/pki/ca.key',
      'has no .*ca.key, by which kubeadm renews',
    ],
  ])('changes nothing where %s, and says what to do', async (_what, file, said) => {
    rmSync(node.at(file));
    if (file.startsWith('running')) node.file('stuck', 'kube-apiserver');
    const end = await renew();
    expect(end.status).toBe(1);
    expect(end.stderr).toMatch(new RegExp(`${said}[^]*docs/runbooks/certificates.md`));
    expect(renewals()).toBe(0);
  });

  it('leaves a kubeconfig that is not kubeadm’s as it is, and where there is none makes none', async () => {
    node.file('home/ubuntu/.kube/config', kubeconfig('old', 'somebody'));
    expect((await renew()).stdout).toContain('.kube/config is not kubeadm');
    expect(node.read('home/ubuntu/.kube/config')).toBe(kubeconfig('old', 'somebody'));
    rmSync(node.at('home/ubuntu/.kube/config'));
    expect(await renew()).toMatchObject({ status: 0, stderr: '' });
    expect(node.has('home/ubuntu/.kube/config')).toBe(false);
  });
});
