import { describe, expect, it } from 'vitest';
import { secretTextsIn } from './secret-masking.js';
import { SecretTexts } from './secret-texts.js';
import { maskSecrets } from './secret.js';
import { processorTime } from './testing/index.js';

const shown = (text: string, ...secrets: string[]): string => maskSecrets(text, secrets);

describe('a password that is a word of ordinary messages', () => {
  it.each([
    'ubuntu',
    'kubespray',
    'ansible',
    'Ansible',
    'failed',
    'worker',
    'node',
    'password',
    'root',
    'the',
    '6443',
    '500',
    'worker11',
    'kube-system',
    'prepare-node',
  ])('%s garbles none, and is told by none', (password) => {
    const text = `the node worker11 failed at port 6443 (500): it has no ansible-playbook for root, look in /home/ubuntu/kubespray: Ansible of kubespray, the password of ubuntu is known: prepare-node in kube-system`;
    expect(shown(text, password)).toBe(text);
  });

  it.each([
    ['in an assignment', 'PASSWORD=ubuntu sshpass', 'PASSWORD=*** sshpass'],
    ['as an option', 'tool --password ubuntu --user ubuntu', 'tool --password *** --user ubuntu'],
    ['as an option with =', 'tool --password=ubuntu', 'tool --password=***'],
    ['glued to an option', 'mysql -uubuntu -pubuntu', 'mysql -u*** -p***'],
    ['in YAML', 'user: ubuntu\nansible_password: ubuntu\n', 'user: ubuntu\nansible_password: ***\n'],
    ['in JSON', '{"user":"ubuntu","password":"ubuntu"}', '{"user":"ubuntu","password":"***"}'],
    ['in quotes', "the password 'ubuntu' is refused for 'ubuntu'", "the password '***' is refused for 'ubuntu'"],
    ['in a header', 'Authorization: Basic dXNlcjp1YnVudHU=', 'Authorization: Basic ***'],
    ['in base64, behind others', 'sent dXNlcjp1YnVudHU=', 'sent dXNlcjp1***U='],
  ])('is hidden where it is a value: %s', (_where, text, expected) => {
    const masked = shown(text, 'ubuntu');
    if (text.startsWith('sent')) expect(masked).toMatch(/^sent dXNlcj.?.?\*\*\*/);
    else expect(masked).toBe(expected);
  });

  it('is hidden at its place whether it is the password or another word: the mask proves no guess', () => {
    const masks = ['ubuntu', 'gizmo', 'hunter2'].map((guess) => shown(`PASSWORD=${guess} --token ${guess}`, 'ubuntu'));
    expect(new Set(masks)).toEqual(new Set(['PASSWORD=*** --token ***']));
  });

  it('leaves a path, and a value that says that there is none', () => {
    const text = 'KUBECONFIG=/etc/kubernetes/admin.conf kubectl; password=false token: none, secret_name: gizmo';
    expect(shown(text, 'kubernetes')).toBe(text);
  });
});

describe('a name that holds a password', () => {
  it.each(['it has no gizmo-playbook', '/home/gizmo/kit', 'gizmo.example.org', 'gizmo_path', 'my-gizmo', 'gizmos'])(
    'stays readable: %s',
    (text) => expect(shown(text, 'gizmo')).toBe(text),
  );

  it('is masked where it is a whole token', () => {
    expect(shown('sudo: gizmo: not found; "gizmo", (gizmo) a=gizmo gizmo.', 'gizmo')).toBe(
      'sudo: ***: not found; "***", (***) a=*** ***.',
    );
  });

  it('stays readable where the request gives it in the clear, as a name or in a path', () => {
    const request = { password: 'zebrafish', user: 'zebrafish', pin_token: 'gizmo', root: '/srv/gizmo', passphrase: 'hunter2' };
    expect(secretTextsIn(request)).toEqual(['hunter2']);
  });
});

describe('a secret in a foreign text', () => {
  const secret = `p'4 "s$&/ß\\w`;

  it.each<[string, string]>([
    ['as it is', secret],
    ['as JSON', JSON.stringify({ x: secret })],
    ['as JSON within JSON', JSON.stringify(JSON.stringify({ x: secret }))],
    ['in a URL', `http://h/?q=${encodeURIComponent(secret)}`],
    ['in a URL, in small letters', encodeURIComponent(secret).replaceAll(/%../g, (text) => text.toLowerCase())],
    ['in a form', new URLSearchParams({ q: secret }).toString().replaceAll('%27', "'")],
    ['quoted for a shell', `'${secret.replaceAll("'", `'\\''`)}'`],
    ['quoted for a shell otherwise', `'${secret.replaceAll("'", `'"'"'`)}'`],
    ['as base64', Buffer.from(secret).toString('base64')],
    ['as base64 of a login', Buffer.from(`u:${secret}`).toString('base64')],
    ['as base64 of a longer login', Buffer.from(`us:${secret}:x`).toString('base64')],
    ['as base64 for URLs', Buffer.from(`usr:${secret}`).toString('base64url')],
    ['in XML', secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['across a line’s end', `${secret.slice(0, 5)}\n${secret.slice(5)}`],
    ['across a line’s end that is indented', `x: ${secret.slice(0, 5)}\r\n    ${secret.slice(5)}`],
  ])('is masked %s', (_how, text) => {
    const masked = shown(text, secret);
    expect(masked).toContain('***');
    const half = Buffer.from(secret).toString('base64').slice(2, 10);
    for (const part of [secret, 's$&/', '%24%26%2F', half]) expect(masked).not.toContain(part);
  });

  it('is masked in the login of a URL, whatever the word', () => {
    expect(shown('http://me:hunter2@h/ hunter2', 'hunter2')).toBe('http://me:***@h/ ***');
  });

  it('is masked where another overlaps it', () => {
    expect(shown('xx-abcdefgh-ijklmnop-yy', 'abcdefgh-ij', 'gh-ijklmnop', 'ijklmnop-y')).toBe('xx-***y');
  });

  it('of one or two characters is masked at its place alone', () => {
    expect(shown('an a b: password=abc', 'a', 'b')).toBe('an a b: password=***');
  });

  it('of a whole file is masked, and costs no memory for each of its characters', () => {
    const file = `${'line of "it"\n'.repeat(100_000)}end`;
    const texts = new SecretTexts([file, 'gizmo']);
    expect(texts.mask(`x ${file} gizmo ${JSON.stringify(file)}`)).toBe('x *** *** "***"');
  });

  it('is looked for in one pass: many secrets in a long text cost no more than both are long', () => {
    const secrets = Array.from({ length: 2_000 }, (_, n) => `${'a'.repeat(60)}${n}-B`);
    const begun = processorTime();
    const texts = new SecretTexts(secrets);
    expect(texts.mask(`${'a'.repeat(300_000)}7-B`).endsWith('a***')).toBe(true);
    texts.mask('a=b: "'.repeat(50_000));
    texts.mask('a-'.repeat(100_000));
    expect(processorTime() - begun).toBeLessThan(6_000);
  });
});
