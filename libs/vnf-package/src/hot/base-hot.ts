import { fileReferences, type FileReference } from './file-references.js';
import {
  floatingIpsOf,
  portsWithFloatingIp,
  portsWithoutServer,
  readHotResources,
  type HotFloatingIp,
  type HotGroup,
  type HotServer,
} from './hot-resources.js';
import { nfvReferences, type NfvReference } from './nfv-references.js';
import type { Csar } from '../archive/csar.js';
import { baseName, resolveInPackage } from '../archive/member-name.js';
import { memberText, textForHeat } from '../archive/member-text.js';
import { Faults } from '../refusals/faults.js';
import type { CsarLimits } from '../refusals/limits.js';
import { PackageError, type PackageWarning } from '../refusals/package-error.js';
import { parsedNode } from '../yaml/parsed-node.js';
import type { YamlNode } from '../yaml/yaml-node.js';

/** A template or another file that a template needs, with its text: of a file under `get_file` that is none, its base64. */
export interface HotFile {
  /** Member of the package. */
  path: string;
  text: string;
}

/** A parameter of the top template. */
export interface HotParameter {
  name: string;
  type: string;
  hasDefault: boolean;
}

/** The Heat templates of one flavour, and what was learnt from them. */
export interface BaseHot {
  top: HotFile;
  /** By the name under which a template refers to it, which is the key that Heat wants in `files`. */
  files: Record<string, HotFile>;
  parameters: HotParameter[];
  /** What the templates ask of the parameter `nfv`. */
  nfvReferences: NfvReference[];
  /** Auto scaling groups of the top template. */
  groups: HotGroup[];
  /** Servers, with the group that multiplies them. */
  servers: HotServer[];
  /** Names of ports that the templates give a floating IP. Absent: an earlier release onboarded the package. */
  floatingPorts?: string[];
  /** The templates' floating IPs. Absent: an earlier release onboarded the package. */
  floatingIps?: HotFloatingIp[];
  /** Names of the top template's ports that no server has: shared addresses. Absent: an earlier release onboarded the package. */
  sharedPorts?: string[];
}

const TEMPLATE = /\.ya?ml$/i;

/** Where templates are read from: a package, or the translation of its VNFD. */
export interface TemplateSource {
  limits: CsarLimits;
  /** Where nested templates lie that are named by their bare file name; ends in a slash. */
  folder: string;
  has(path: string): boolean;
  /** A template. */
  text(path: string): Promise<string>;
  /** What stands for a file under `get_file`; the text where left out. */
  attached?(path: string): Promise<string>;
}

/**
 * Reads `BaseHOT/<flavour id>/`: one top template and the files that it and its nested templates refer to.
 * Returns undefined where there is none.
 * @throws PackageError `base-hot.invalid` (no template, or one that is part of itself), `base-hot.file-absent`, `yaml.*`.
 */
export async function readBaseHot(
  csar: Csar,
  flavourId: string,
  warnings: PackageWarning[],
  signal?: AbortSignal,
): Promise<BaseHot | undefined> {
  const folder = `BaseHOT/${flavourId}/`;
  const tops = csar.members.map(({ name }) => name).filter((name) => isTopTemplate(name, folder));
  const [first] = tops;
  if (first === undefined) return undefined;
  const { limits } = csar;
  const text = (name: string) => memberText(csar, name, limits.yaml.bytes, signal);
  const attached = async (name: string) => textForHeat(await csar.readMember(name, limits.yaml.bytes, signal), name);
  const source = { limits, folder, has: (name: string) => csar.has(name), text, attached };
  const unnamed = tops.length === 1 ? tops : await namedByNone(source, tops, warnings);
  const path = unnamed[0] ?? first;
  if (unnamed.length > 1) {
    warnings.push({
      code: 'base-hot.several-tops',
      subject: folder,
      reason: `has ${unnamed.length} templates that no other names: ${path} is used, and nothing of ${unnamed.slice(1).join(', ')}; remove what is not meant`,
    });
  }
  return readTemplates(source, path);
}

/** Of templates in one folder those that none of the others refers to. What has no resources is no template, such as an environment. */
async function namedByNone(source: TemplateSource, paths: readonly string[], warnings: PackageWarning[]): Promise<string[]> {
  const nodes = await Promise.all(paths.map(async (path) => parsedNode(await source.text(path), path, source.limits.yaml)));
  const templates = nodes.filter((node) => node.at('resources').isMap);
  const named = new Set(
    templates.flatMap((node) => fileReferences(node).flatMap(({ name }) => located(source, name, node.file) ?? [])),
  );
  for (const { file } of nodes.filter((node) => !templates.includes(node) && !named.has(node.file))) {
    const reason = 'is no Heat template, for it has no resources, and no template names it: nothing of it is used; remove it';
    warnings.push({ code: 'base-hot.no-template', subject: file, reason });
  }
  return templates.map(({ file }) => file).filter((path) => !named.has(path));
}

/** Where a file lies that a template refers to: nested templates are named by their bare file name; a path relative to the template works, too. */
function located(source: TemplateSource, reference: string, from: string): string | undefined {
  const { folder } = source;
  const name = baseName(reference);
  const candidates = [resolveInPackage(reference, from), `${folder}nested/${name}`, `${folder}${name}`];
  return candidates.find((candidate) => candidate !== undefined && source.has(candidate));
}

/** The templates of that source that `top` is one of, and what they say. @throws PackageError as `readBaseHot`. */
export async function readTemplates(source: TemplateSource, path: string): Promise<BaseHot> {
  const collected = new TemplateFiles(source);
  const top = await collected.add(path);
  const templates = await collected.followAll(top);
  requireNoLoop(templates, collected.files);
  const resources = readHotResources(top.node, (reference) => collected.template(reference));
  return {
    top: top.file,
    files: Object.fromEntries(collected.files),
    parameters: readParameters(top.node),
    nfvReferences: templates.flatMap(({ node }) => nfvReferences(node)),
    ...resources,
    floatingPorts: [...new Set(templates.flatMap(({ node }) => portsWithFloatingIp(node)))],
    floatingIps: floatingIpsOf(templates.map(({ node }) => node)),
    sharedPorts: portsWithoutServer(top.node),
  };
}

/** Whether a member is a template at the top of that folder. */
export const isTopTemplate = (name: string, folder: string): boolean =>
  name.startsWith(folder) && !name.slice(folder.length).includes('/') && TEMPLATE.test(name);

/** A template that is part of itself has no end; Heat would refuse it at each instantiation. */
function requireNoLoop(templates: readonly Template[], files: ReadonlyMap<string, HotFile>): void {
  const below = new Map(
    templates.map(({ file, node }) => {
      const nested = fileReferences(node).filter(({ kind }) => kind === 'template');
      return [file.path, nested.flatMap(({ name }) => files.get(name)?.path ?? [])];
    }),
  );
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) {
      const loop = [...above.slice(above.indexOf(path)), path].join(' -> ');
      throw new PackageError('base-hot.invalid', `is part of itself: ${loop}. Remove one of these references`, { member: path });
    }
    if (done.has(path)) return;
    for (const nested of below.get(path) ?? []) visit(nested, [...above, path]);
    done.add(path);
  };
  for (const { file } of templates) visit(file.path, []);
}

function readParameters(top: YamlNode): HotParameter[] {
  return top
    .at('parameters')
    .entries()
    .map(([name, parameter]) => ({
      name,
      type: parameter.at('type').text() ?? 'string',
      hasDefault: parameter.at('default').value !== undefined,
    }));
}

interface Template {
  readonly file: HotFile;
  readonly node: YamlNode;
}

/** Finds what templates refer to, and reads each file once. */
class TemplateFiles {
  readonly files = new Map<string, HotFile>();
  readonly #templates = new Map<string, YamlNode>();

  constructor(private readonly source: TemplateSource) {}

  async add(path: string): Promise<Template> {
    const text = await this.source.text(path);
    const node = parsedNode(text, path, this.source.limits.yaml);
    if (!node.at('resources').isMap)
      throw node.at('resources').wrong('should be a map: this is no Heat template', 'base-hot.invalid');
    return { file: { path, text }, node };
  }

  /** The top template and all that it reaches by nested types. */
  async followAll(top: Template): Promise<Template[]> {
    const found = [top];
    const faults = new Faults();
    for (const { node } of found) {
      for (const reference of fileReferences(node)) {
        if (this.files.has(reference.name)) continue;
        if (this.files.size >= this.source.limits.yamlFiles) throw node.wrong('refers to too many files', 'base-hot.invalid');
        const template = await faults.keepLater(() => this.#take(reference, node.file));
        if (template !== undefined) found.push(template);
      }
    }
    faults.throwIfAny();
    return found;
  }

  /** Reads the file of a reference; what is in it, where that is a template. */
  async #take({ name, kind }: FileReference, from: string): Promise<Template | undefined> {
    const path = this.#locate(name, from);
    const template = kind === 'template' ? await this.add(path) : undefined;
    const text = template?.file.text ?? (await (this.source.attached ?? this.source.text)(path));
    this.files.set(name, { path, text });
    if (template !== undefined) this.#templates.set(name, template.node);
    return template;
  }

  template(reference: string): YamlNode | undefined {
    return this.#templates.get(reference);
  }

  #locate(reference: string, from: string): string {
    const { folder } = this.source;
    const found = located(this.source, reference, from);
    if (found !== undefined) return found;
    throw new PackageError(
      'base-hot.file-absent',
      `refers to ${JSON.stringify(reference)}, which is neither beside it nor in ${folder}nested/: add it there, or correct the reference`,
      { member: from },
    );
  }
}
