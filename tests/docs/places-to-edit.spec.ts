import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The product's own sources: neither tests nor what they stand on, nor the lab and the workbench. */
const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'apps', 'libs'], {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1_024 * 1_024,
})
  .split('\n')
  .filter((path) => /^(apps|libs)\/(?!lab\/|workbench\/)[^/]+\/src\/.*\.tsx?$/.test(path))
  .filter((path) => !/\.spec\.tsx?$|\/testing\/|\/plain-words\.ts$/.test(path))
  .map((path) => ({ path, text: withoutComments(readFileSync(join(ROOT, path), 'utf8')) }));

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, '').replace(/^ *\/\/.*$/gm, '');
}

/** The files that name it, and what each of them is for. */
interface Places {
  name: RegExp;
  places: Record<string, string>;
}

// One of each kind. Whoever adds another edits these places and no others (docs/adr/0108-a-message-is-declared-once.md); what is generated is not counted.
const KINDS: Record<string, Places> = {
  'a field of a step': {
    name: /\battemptsAllowed\b/,
    places: {
      'libs/saga/src/engine/error-report.ts': 'kept: what the journal has of it',
      'libs/saga/src/engine/machine.ts': 'kept: where the engine writes it',
      'libs/saga/src/view/step-view.ts': 'the view of a step: its type and its value',
      'apps/lcm-api/src/observability/shown-schemas.ts':
        'declared: OpenAPI, the dashboard’s type and the command line’s come of it',
      'apps/windlass/src/client/api-client.ts': 'shown: what the command line reads of a step',
      'apps/windlass/src/display/step-tree.ts': 'shown: the command line',
      'apps/dashboard/src/pages/inspector.tsx': 'shown: the dashboard',
    },
  },
  'a field of an instance': {
    name: /\bvnfInstanceDescription\b/,
    places: {
      'libs/sol003/src/types/vnf-instance.ts': 'declared: the record and the modifications have it of this',
      'libs/persistence/src/entities/vnf-instance.entity.ts':
        'kept: its column, which all statements have it of; a migration makes it',
      'apps/lcm-api/src/rendering/rendering.ts': 'its value in answers',
      'libs/sol003/src/requests/lifecycle.ts': 'asked for: bodies of requests',
      'libs/sol003/src/requests/members.ts': 'asked for: whether it is used',
      'apps/lcm-api/src/instances/vnf-instances.ts': 'asked for: by POST',
      'libs/lifecycle/src/operations/modify/modify-request.ts': 'asked for: by PATCH',
      'apps/windlass/src/commands/vnf.ts': 'asked for: by the command line',
      'apps/dashboard/src/pages/instance.tsx': 'shown: the dashboard',
    },
  },
  'an operation': {
    name: /\b(OPERATE|OperateVnf\w*|operate\.operation)\b/,
    places: {
      'libs/sol003/src/operations/operations.ts': 'declared: the row of the standard',
      'libs/sol003/src/requests/lifecycle.ts': 'declared: its body',
      'libs/sol003/src/requests/members.ts': 'declared: whether members of its body are used',
      'libs/sol003/src/v2/from-v2.ts': 'its body in v2 names VNFCs by other ids',
      'libs/lifecycle/src/operations/operate/operate.operation.ts': 'its folder',
      'libs/lifecycle/src/operations/operate/operate.saga.ts': 'its folder',
      'libs/lifecycle/src/operations/operations.ts': 'the list of operations',
      'libs/mgmt-driver/src/driver.ts': 'the schema of drivers’ parameters by operation',
    },
  },
  'an action that a service offers': {
    name: /\binstallNfsClient(Work)?\b/,
    places: {
      'libs/driver-kit/src/offered/storage.ts': 'declared: what it takes and gives, for the drivers that use it',
      'apps/storage-mgmt/src/client/install-nfs-client.action.ts': 'its work',
      'apps/storage-mgmt/src/actions.ts': 'the list of the service',
      'apps/k8s-mgmt/src/kubeadm/steps/storage.ts': 'used: a plan',
    },
  },
  'a parameter of a driver': {
    name: /\bpod_node_prefix\b/,
    places: {
      'apps/k8s-mgmt/src/kubeadm/parameters/parameters.ts': 'declared, and read by plans',
      'apps/k8s-mgmt/src/kubeadm/checks/check-instantiation.ts': 'checked',
      'apps/k8s-mgmt/src/kubespray/not-done-by-kubespray.ts': 'refused by the other driver',
    },
  },
};

describe('the places to edit', () => {
  it.each(Object.entries(KINDS))('for %s do not grow: derive from the declaration what needs it', (_kind, { name, places }) => {
    const found = sources.filter(({ text }) => name.test(text)).map(({ path }) => path);
    expect(found.sort()).toEqual(Object.keys(places).sort());
  });

  it('of a step are in the document, too: each field has its place in docs/contracts/rest-extensions.md', () => {
    const document = JSON.parse(readFileSync(join(ROOT, 'docs/contracts/openapi.json'), 'utf8')) as StepsDocument;
    const answer = document.paths['/windlass/v1/operations/{id}/steps'].get.responses['200'].content['application/json'];
    const page = readFileSync(join(ROOT, 'docs/contracts/rest-extensions.md'), 'utf8');
    const [, section = ''] = page.split('## `GET /windlass/v1/operations/{id}/steps`');
    const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
    const documented = rows.flatMap((row) =>
      [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, field = '']) => field),
    );
    expect(documented.sort()).toEqual(Object.keys(answer.schema.items.properties).sort());
  });
});

interface StepsDocument {
  paths: Record<
    '/windlass/v1/operations/{id}/steps',
    {
      get: {
        responses: { '200': { content: { 'application/json': { schema: { items: { properties: Record<string, unknown> } } } } } };
      };
    }
  >;
}
