import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { pathOf } from '../api/client.js';
import type { Vim } from '../api/types.js';
import { Paged } from '../components/paged.js';
import { Id, Name, Nothing, Problem, Section, State, Table } from '../components/elements.js';
import { RemoveHostKey } from './remove-host-key.js';
import { hrefOf } from '../state/route.js';
import { isAdmin, mayOperate, session } from '../state/session.js';
import { useLoaded } from '../state/use-loaded.js';
import { moment } from '../state/words.js';

/** The VIMs of the project, what a look at one says, and the host keys of VMs. */
export function VimsPage(): JSX.Element {
  const { value, error } = useLoaded((client) => client.get('/v1.0/vims'), []);
  const [looked, setLooked] = useState<Vim | undefined>(undefined);
  const who = session.value?.who;
  return (
    <>
      <h1>VIMs</h1>
      <Problem error={error} />
      {value !== undefined && <VimTable vims={value.vims} look={who !== undefined && mayOperate(who) ? setLooked : undefined} />}
      {looked !== undefined && <Check key={looked.id} vim={looked} />}
      {who !== undefined && isAdmin(who) && <HostKeys />}
    </>
  );
}

/** VIMs, a line each. `look`: asks for a check of one. */
export function VimTable({ vims, look }: { vims: readonly Vim[]; look?: ((vim: Vim) => void) | undefined }): JSX.Element {
  if (vims.length === 0) return <Nothing>No VIM is registered. ./windlass vim register does it.</Nothing>;
  return (
    <Table label="VIMs" heads={['Name', 'Kind', 'Status', 'Address', 'Default', ...(look === undefined ? [] : ['Check'])]}>
      {vims.map((vim) => (
        <tr key={vim.id}>
          <td>
            <Name text={vim.name ?? ''} />
          </td>
          <td>{vim.type}</td>
          <td>
            <State state={vim.status ?? ''} />
          </td>
          <td>
            <Name text={vim.auth_url ?? ''} />
          </td>
          <td>{vim.is_default === true ? 'yes' : ''}</td>
          {look !== undefined && (
            <td>
              {vim.type === 'openstack' && (
                <button type="button" class="as-link" onClick={() => look(vim)}>
                  Look at <Name text={vim.name ?? 'it'} />
                </button>
              )}
            </td>
          )}
        </tr>
      ))}
    </Table>
  );
}

interface Finding {
  check: string;
  subject: string;
  status: string;
  says: string;
  todo?: string | null;
  command?: string | null;
}

/** What every VNF of VMs needs; of a package and a request `./windlass vim check` asks for more. */
const NEEDS = {
  services: ['orchestration', 'compute', 'network', 'image', 'volume'],
  resourceTypes: ['OS::Nova::Server', 'OS::Neutron::Port', 'OS::Cinder::Volume'],
  networks: [],
  ports: [],
  onOneNetwork: [],
  groups: [],
  flows: [],
  images: [],
  servers: [],
  serverGroups: [],
  amounts: { now: {}, most: {} },
  showHosts: false,
  clockDifferenceMs: 5_000,
  reachedFrom: [],
};

const TONES: Readonly<Record<string, string>> = { ok: 'good', failed: 'bad', warning: 'undo' };

function Check({ vim }: { vim: Vim }): JSX.Element {
  const { value, error, again } = useLoaded(
    async (client) =>
      (await (await client.post(pathOf('/windlass/v1/vims/{id}/check', { id: vim.id ?? '' }), NEEDS)).json()) as {
        findings: Finding[];
      },
    [vim.id],
  );
  return (
    <Section title={`Check of ${(vim.name ?? '').slice(0, 100)}`}>
      <Problem error={error} />
      {value === undefined && error === undefined && (
        <p class="nothing" role="status">
          Being looked at…
        </p>
      )}
      {value !== undefined && (
        <Table label="What the check found" heads={['Status', 'Check', 'Of', 'Says']}>
          {value.findings.map(({ check, subject, status, says, todo, command }, at) => (
            <tr key={at}>
              <td>
                <span class={`state ${TONES[status] ?? 'idle'}`}>{status}</span>
              </td>
              <td>{check}</td>
              <td>
                <Name text={subject} />
              </td>
              <td>
                <Name text={says} />
                {todo != null && todo !== '' && (
                  <div class="hint">
                    → <Name text={todo} />
                  </div>
                )}
                {command != null && command !== '' && (
                  <code>
                    <Name text={command} />
                  </code>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <div class="pager">
        <button type="button" class="quiet" onClick={again}>
          Look again
        </button>
        <span class="hint">
          What a package and a request need besides:{' '}
          <code>./windlass vim check {(vim.name ?? '').slice(0, 100)} --package … --request …</code>
        </span>
      </div>
    </Section>
  );
}

interface HostKey {
  resourceId: string;
  fingerprint: string;
  vnfInstanceId: string | null;
  pinnedAt: string;
  service: string | null;
}

function HostKeys(): JSX.Element {
  const [chosen, choose] = useState<HostKey | undefined>(undefined);
  const [removed, setRemoved] = useState(0);
  return (
    <Section title="SSH host keys of VMs">
      <Paged<HostKey> key={removed} path="/windlass/v1/host_keys" nothing="No host key is pinned.">
        {(keys) => (
          <Table label="SSH host keys" heads={['VM at the VIM', 'Fingerprint', 'Instance', 'Pinned', 'By', 'Remove']}>
            {keys.map((key) => (
              <HostKeyRow key={`${key.resourceId} ${key.vnfInstanceId ?? ''}`} shown={key} remove={() => choose(key)} />
            ))}
          </Table>
        )}
      </Paged>
      <p class="hint">A machine that shows another key is refused. If it was made anew on purpose, remove its key; then retry.</p>
      {chosen !== undefined && (
        <RemoveHostKey
          {...chosen}
          close={() => choose(undefined)}
          onRemoved={() => {
            choose(undefined);
            setRemoved(removed + 1);
          }}
        />
      )}
    </Section>
  );
}

const HostKeyRow = ({ shown, remove }: { shown: HostKey; remove: () => void }): JSX.Element => (
  <tr>
    <td>
      <Id id={shown.resourceId} />
    </td>
    <td>
      <code>{shown.fingerprint}</code>
    </td>
    <td>
      {shown.vnfInstanceId !== null && (
        <a href={hrefOf('instances', shown.vnfInstanceId)}>
          <Id id={shown.vnfInstanceId} />
        </a>
      )}
    </td>
    <td class="when">{moment(shown.pinnedAt)}</td>
    <td>{shown.service ?? ''}</td>
    <td>
      <button type="button" class="quiet small" aria-label={`Remove the key of ${shown.resourceId}`} onClick={remove}>
        Remove…
      </button>
    </td>
  </tr>
);
