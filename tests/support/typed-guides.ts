import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minutes } from '@windlass/foundation';
import { home, type Deployed } from './deployed.js';
import { commandsOf, GuideShell } from './guide-shell.js';
import type { ShownVnfc } from './shown-vnfc.js';

/** The command of a line, without the line's comment. */
const commandOf = (line: string): string => line.split(/\s+#\s/)[0]?.trim() ?? '';

/** A person who types the lines of guides as printed, in an own folder with links to `windlass` and `samples`. */
export class TypedGuides {
  /** The values of the guides' placeholders: `<id>`, addresses of documentation. */
  readonly fills: Record<string, string> = {};
  readonly #typed = new Set<string>();

  private constructor(
    private readonly deployed: Deployed,
    readonly shell: GuideShell,
    /** The folder that the person is in. */
    readonly folder: string,
  ) {}

  static async start(deployed: Deployed): Promise<TypedGuides> {
    const shell = await GuideShell.start(deployed);
    const folder = await mkdtemp(join(tmpdir(), 'windlass-person-'));
    for (const name of ['windlass', 'samples']) await symlink(join(home, name), join(folder, name));
    await shell.run(`cd ${folder}; mkdir -p ~/.ssh; /usr/bin/ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519`);
    return new TypedGuides(deployed, shell, folder);
  }

  /** The commands of a guide, block by block. A command over several lines is one command. */
  async lines(guide: string): Promise<string[][]> {
    return (await commandsOf(guide)).map((block) => block.split(/(?<!\|=)\n/).filter((line) => line !== ''));
  }

  /**
   * Types a line of a guide with the values of its placeholders.
   * @returns what the command printed
   * @throws Error where the guide has no such line, a placeholder has no value, or the command fails
   */
  async type(line: string | undefined): Promise<string> {
    if (line === undefined) throw new Error('the guide has fewer lines than are typed here');
    this.#typed.add(commandOf(line));
    // The longest placeholder first: `--snapshot <id>` contains `<id>`.
    const fills = Object.entries(this.fills).sort(([one], [other]) => other.length - one.length);
    const whole = fills.reduce((text, [place, value]) => text.replaceAll(place, value), commandOf(line));
    if (/<[a-z][^<>]*>/.test(whole)) throw new Error(`nobody says what this stands for: ${whole}`);
    return this.shell.run(`${whole}\n`, minutes(15));
  }

  /** Types a line on a VM as root. @returns what the command printed @throws Error where the command fails */
  async typeOn(vm: string, line: string | undefined): Promise<string> {
    if (line === undefined) throw new Error('the guide has fewer lines than are typed here');
    this.#typed.add(commandOf(line));
    const { status, stdout, stderr } = await this.deployed.lab.fleet.exec(vm, ['sh', '-c', commandOf(line)]);
    if (status !== 0) throw new Error(`${line}: exit status ${String(status)}: ${stderr}`);
    return stdout;
  }

  /** The commands of these lines that were not typed. */
  untyped(lines: readonly (readonly string[])[]): string[] {
    return lines
      .flat()
      .map(commandOf)
      .filter((command) => !this.#typed.has(command));
  }

  /** The VNFCs of a VDU, in the instance of the placeholder `<id>`. */
  async vnfcs(vduId: string): Promise<ShownVnfc[]> {
    const path = `/vnflcm/v1/vnf_instances/${this.fills['<id>'] ?? ''}`;
    const { instantiatedVnfInfo } = await this.deployed.api.get<{ instantiatedVnfInfo: { vnfcResourceInfo: ShownVnfc[] } }>(path);
    return instantiatedVnfInfo.vnfcResourceInfo.filter((vnfc) => vnfc.vduId === vduId);
  }

  /** Creates an instance by a line of a guide, and sets `<id>` to the instance's id. */
  async create(line: string | undefined): Promise<void> {
    this.fills['<id>'] = /"id": ?"([^"]+)"/.exec(await this.type(line))?.[1] ?? '';
  }

  /** The nodes that are Ready, by the person's kubeconfig. kubectl runs on a VM, since this machine may not have it. */
  async readyNodes(onVm: string): Promise<string[]> {
    const { fleet } = this.deployed.lab;
    const input = await readFile(join(this.folder, 'kubeconfig'), 'utf8');
    const argv = [
      'sh',
      '-c',
      'umask 077; f=$(mktemp); cat > "$f"; kubectl --kubeconfig="$f" get nodes --no-headers; s=$?; rm "$f"; exit $s',
    ];
    const { status, stdout } = await fleet.exec(onVm, argv, { input });
    return status === 0 ? stdout.split('\n').filter((line) => /\sReady\s/.test(line)) : [];
  }

  async close(): Promise<void> {
    await this.shell.close();
    await rm(this.folder, { recursive: true });
  }
}
