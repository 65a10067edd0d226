import { millis, seconds, waitUntil } from '@windlass/foundation';
import {
  changeLoadBalancer,
  configureLoadBalancer,
  leaveLoadBalancer,
  routerId,
  verifyLoadBalancer,
  type NodeInput,
} from '@windlass/k8s-mgmt/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { labBalancers, type LabBalancers } from './support/lab-balancers.js';

describe('a load balancer of three lab VMs', () => {
  let lab: LabBalancers;
  /** Of a cluster of its own in the same network. */
  let stranger: NodeInput;
  let masters: readonly NodeInput[];

  beforeAll(async () => {
    lab = await labBalancers(4);
    masters = lab.masters.slice(0, 3);
    stranger = lab.masters[3]!;
  });
  afterAll(() => lab.end());

  const all = () => ({ balancer: lab.balancer(masters) });
  const others = (than: NodeInput) => masters.filter((master) => master !== than);
  const elsewhere = (than: NodeInput) => async (): Promise<boolean> =>
    (await lab.holders()).some((master) => master !== than && masters.includes(master));
  /** The aim is 5 s. How long it was is told and judged by a person: on a busy machine it says nothing of the load balancer. */
  const told = (what: string, ms: number): void => void process.stderr.write(`${what}: away for ${Math.round(ms)} ms\n`);

  it('answers at the virtual address before there is any API server, held by one, beside another cluster’s', async () => {
    const other = lab.vip.replace(/\d+$/, '98');
    await Promise.all([
      ...masters.map((master) => lab.run(configureLoadBalancer, master, all())),
      lab.run(configureLoadBalancer, stranger, { balancer: lab.balancer([stranger], other) }),
    ]);
    await lab.run(verifyLoadBalancer, masters[0]!, { vip: lab.vip, masters: [...masters] });
    expect(await lab.holders()).toHaveLength(1);
    expect(masters).toContain((await lab.holders())[0]);
    expect(await lab.holders(other)).toEqual([stranger]);
    expect(routerId(other)).not.toBe(routerId(lab.vip));
  });

  it('is found as it should be, and is not where a file was changed by hand', async () => {
    for (const master of masters) expect(await lab.isDone(configureLoadBalancer, master, all()), master.name).toBe(true);
    await lab.on(masters[1]!, 'echo "# by hand" >> /etc/haproxy/haproxy.cfg');
    expect(await lab.isDone(configureLoadBalancer, masters[1]!, all())).toBe(false);
    await lab.run(configureLoadBalancer, masters[1]!, all());
    expect(await lab.isDone(configureLoadBalancer, masters[1]!, all())).toBe(true);
  });

  it('keeps the address where it is while API servers are dead or slow, that of its holder too', async () => {
    await lab.startApiServers();
    const holder = await lab.holder(masters);
    await lab.on(holder, 'systemctl stop api');
    for (const master of others(holder)) await lab.on(master, 'echo 1000 > /root/slow');
    const states = `perl -MIO::Socket::UNIX -e 'my $s = IO::Socket::UNIX->new(Peer => "/run/haproxy/admin.sock"); print $s "show stat\\n"; print <$s>' |
      grep '^ready-masters,master' | cut -d, -f2,18 | cut -d' ' -f1 | sort`;
    const wanted = masters.map((master) => `${master.name},${master === holder ? 'DOWN' : 'UP'}`).sort();
    await waitUntil(
      async (seen) => {
        const found = await lab.on(holder, states);
        seen(found.replaceAll('\n', ' '));
        return found === wanted.join('\n') ? true : undefined;
      },
      { for: 'the dead one alone to be out', within: seconds(60), every: millis(200) },
    );
    expect(await lab.holders()).toContain(holder);
    expect(others(holder).map(({ name }) => name)).toContain((await lab.ask()).name);
    await lab.startApiServer(holder);
    for (const master of others(holder)) await lab.on(master, 'rm /root/slow');
  });

  it('gives the address to another where the holder’s HAProxy is stopped, or hangs', async () => {
    const stopped = await lab.holder(masters);
    const away = await lab.away(() => lab.on(stopped, 'systemctl stop haproxy'), elsewhere(stopped));
    told('HAProxy stopped', away);
    await lab.on(stopped, 'systemctl start haproxy');

    const hung = await lab.holder(masters);
    const hanging = await lab.away(() => lab.on(hung, 'pkill -STOP haproxy'), elsewhere(hung));
    told('HAProxy hangs', hanging);
    await lab.on(hung, 'pkill -CONT haproxy');
  });

  it('gives it to another where the holder hangs, and it is one’s again when that goes on', async () => {
    const hung = await lab.holder(masters);
    const away = await lab.away(() => lab.fleet.hang(hung.vnfc.resourceId), elsewhereOfRunning(hung));
    told('VM hangs', away);
    await lab.fleet.thaw(hung.vnfc.resourceId);
    await lab.holder(masters);
  });

  it('gives it to another where the plug of the holder is pulled, and nothing moves when that comes back', async () => {
    const gone = await lab.holder(masters);
    const away = await lab.away(() => lab.fleet.shutDown(gone.vnfc.resourceId), elsewhere(gone));
    told('plug pulled', away);
    const heir = await lab.holder(others(gone));
    await lab.fleet.reboot(gone.vnfc.resourceId);
    await lab.fleet.ready(gone.vnfc.resourceId);
    await waitUntil(async () => ((await lab.isDone(configureLoadBalancer, gone, all())) ? true : undefined), {
      for: `${gone.name} to be part of it again`,
      within: seconds(60),
      every: millis(500),
    });
    expect(await lab.holder(masters)).toBe(heir);
    await lab.startApiServer(gone);
  });

  it('takes a master out and in again while connections come: none fails, and the address stays', async () => {
    const holder = await lab.holder(masters);
    const [going] = others(holder);
    const staying = masters.filter((master) => master !== going);
    const { holders } = lab.balancer(masters);
    const smaller = { balancer: { ...lab.balancer(staying), holders }, before: lab.balancer(masters) };
    const come = { on: true };
    const answers: { name?: string; fault?: string }[] = [];
    const coming = (async () => {
      while (come.on) answers.push(await lab.ask());
    })();
    await Promise.all(staying.map((master) => lab.run(changeLoadBalancer, master, smaller)));
    const then = await Promise.all(Array.from({ length: 9 }, async () => lab.ask()));
    expect(new Set(then.map(({ name, fault }) => name ?? fault))).toEqual(new Set(staying.map(({ name }) => name)));
    await Promise.all(staying.map((master) => lab.undo(changeLoadBalancer, master, smaller)));
    come.on = false;
    await coming;
    const failed = answers.filter(({ fault }) => fault !== undefined);
    expect(failed, await lab.on(holder, 'journalctl -o short-precise -u keepalived -u haproxy | tail -n 60')).toEqual([]);
    expect(answers.length).toBeGreaterThan(10);
    expect(await lab.holder(masters)).toBe(holder);
  });

  it('moves the address from a master that leaves, and has nothing of it left there when it is undone', async () => {
    const leaving = await lab.holder(masters);
    const away = await lab.away(() => lab.run(leaveLoadBalancer, leaving, {}), elsewhere(leaving));
    told('left', away);
    const smaller = { balancer: lab.balancer(others(leaving)), before: lab.balancer(masters) };
    for (const master of others(leaving)) await lab.run(changeLoadBalancer, master, smaller);
    await lab.run(verifyLoadBalancer, others(leaving)[0]!, { vip: lab.vip, masters: others(leaving) });
    await lab.undo(configureLoadBalancer, leaving, all());
    const left =
      'dpkg -l haproxy keepalived 2> /dev/null | grep -c ^ii || true; ls -d /etc/haproxy /etc/keepalived /usr/local/lib/windlass 2> /dev/null || true';
    expect(await lab.on(leaving, left)).toBe('0');
    expect(await lab.holder(masters)).not.toBe(leaving);
  });

  /** A VM that hangs can't be asked. */
  const elsewhereOfRunning = (hung: NodeInput) => async (): Promise<boolean> => {
    for (const master of others(hung)) if ((await lab.on(master, `ip -o -4 addr show to ${lab.vip}`)) !== '') return true;
    return false;
  };
});
