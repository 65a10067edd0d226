import type { Json, JsonObject } from '@windlass/foundation';
import type { StackRef } from '../heat/heat-types.js';
import { FakeVim } from './fake-vim.js';
import { recorded } from './recorded.js';

/** The recorded stack: VDU1 in a group, twice; VDU2 with two volumes. */
export const RECORDED_STACK: StackRef = { name: 'vnf-a', id: 'b08324e7-eb34-43b1-b128-1e6eebd8e15f' };

export const NET0 = '9b6e3a52-0000-4000-8000-00000000e700';
export const INTERNAL = 'cc8b8197-3bd5-4ad2-a50a-7a6713ee6f12';

interface RecordedRow {
  resource_name: string;
  resource_type: string;
  physical_resource_id: string;
  parent_resource?: string;
}

const rowsOf = (name: string) => (recorded(name).body as unknown as { resources: RecordedRow[] }).resources;

/**
 * A VIM that lists the recorded resources, with matching servers, ports and volumes. Servers are as recorded;
 * ports and volumes, which were not recorded, are made to match, with addresses numbered in the order of the listing.
 */
export async function recordedVim(listing: string, status = 'CREATE_COMPLETE'): Promise<FakeVim> {
  const vim = await FakeVim.start();
  show(vim, listing, status);
  return vim;
}

/** Changes the listing and status of a VIM of {@link recordedVim}. */
export function show(vim: FakeVim, listing: string, status: string): void {
  const rows = rowsOf(listing);
  const at = `/heat/v1/p/stacks/${RECORDED_STACK.name}/${RECORDED_STACK.id}`;
  const { stack } = recorded('02_get_stack_created').body as { stack: JsonObject };
  vim.on('GET', at, { status: 200, json: { stack: { ...stack, stack_status: status } } });
  vim.replay(recorded(listing), `/heat/stacks/${RECORDED_STACK.name}/${RECORDED_STACK.id}/resources`);
  const servers = new Map(
    rows.filter((row) => row.resource_type === 'OS::Nova::Server').map((row) => [row.physical_resource_id, row]),
  );
  vim.on('GET', /^\/nova\/v2.1\/servers\/[^/]+$/, ({ path }) => {
    const id = path.slice(path.lastIndexOf('/') + 1);
    const row = servers.get(id);
    return row === undefined ? { status: 404 } : { status: 200, json: { server: serverOf(row) } };
  });
  const ports = rows.filter((row) => row.resource_type === 'OS::Neutron::Port').map((row, index) => portOf(rows, row, index));
  vim.on('GET', '/neutron/v2.0/ports', ({ path }) => {
    const ids = new URLSearchParams(path.split('?')[1]).getAll('id');
    return { status: 200, json: { ports: ports.filter((port) => typeof port.id === 'string' && ids.includes(port.id)) } };
  });
  vim.on('GET', '/neutron/v2.0/floatingips', { status: 200, json: { floatingips: [] } });
  vim.on('GET', /^\/cinder\/v3\/p\/volumes\/[^/]+$/, ({ path }) => {
    const row = rows.find((candidate) => candidate.physical_resource_id === path.slice(path.lastIndexOf('/') + 1));
    return row === undefined ? { status: 404 } : { status: 200, json: { volume: volumeOf(rows, row) } };
  });
}

function serverOf(row: RecordedRow): Json {
  const name = ['04_nova_user_14b0dd18', '04_nova_user_46f89f33', '04_nova_user_4c5606c8'].find((candidate) =>
    row.physical_resource_id.startsWith(candidate.slice(-8)),
  );
  const { server } = recorded(name ?? '04_nova_user_14b0dd18').body as { server: JsonObject };
  return { ...server, id: row.physical_resource_id };
}

function portOf(rows: readonly RecordedRow[], row: RecordedRow, index: number): JsonObject {
  const vdu = row.resource_name.split('_')[0];
  const server = rows.find(
    (it) => it.resource_type === 'OS::Nova::Server' && it.resource_name === vdu && it.parent_resource === row.parent_resource,
  );
  const internal = row.resource_name.endsWith('CP2');
  return {
    id: row.physical_resource_id,
    name: `vnf-a-${row.resource_name}`,
    network_id: internal ? INTERNAL : NET0,
    mac_address: `fa:16:3e:00:00:${(index + 16).toString(16)}`,
    fixed_ips: [
      { subnet_id: internal ? 'sub-internal' : 'sub-net0', ip_address: `${internal ? '192.168.50' : '10.10.0'}.${index + 100}` },
    ],
    device_id: server?.physical_resource_id ?? '',
    status: 'ACTIVE',
    allowed_address_pairs: [],
  };
}

function volumeOf(rows: readonly RecordedRow[], row: RecordedRow): JsonObject {
  const server = rows.find((it) => it.resource_type === 'OS::Nova::Server' && it.resource_name === 'VDU2');
  const device = row.resource_name === 'bootvol' ? '/dev/vda' : '/dev/vdb';
  const attached =
    server?.physical_resource_id === undefined || server.physical_resource_id === ''
      ? []
      : [{ server_id: server.physical_resource_id, device }];
  return {
    id: row.physical_resource_id,
    name: row.resource_name,
    size: 1,
    status: 'in-use',
    bootable: 'false',
    attachments: attached,
  };
}
