import { isJsonObject, nearest, pointerToken, type JsonObject } from '@windlass/foundation';
import { flavourOf, type BaseHot, type Flavour } from '@windlass/vnf-package';
import { DEF_FILES } from '../records/on-kubernetes.js';
import type { VnfInstanceRecord } from '../records/records.js';
import type { OperationDefinition } from '../operation/operation-definition.js';
import type { PackageRecord } from '../ports.js';
import { scriptOf } from '../shared-steps/user-data/script-step.js';

/** A request, and what would read its parameters. */
export interface ParamsSubject {
  definition: Pick<OperationDefinition, 'makesVnf' | 'paramsRead' | 'script'>;
  request: JsonObject;
  instance: VnfInstanceRecord;
  package: PackageRecord;
  flavourId: string;
  /** Drivers that the flavour's hooks are bound to. */
  drivers: readonly string[];
}

/**
 * Sentences about members of `additionalParams` that nothing reads, neither Windlass nor a template. A management driver or a script that gets the
 * parameters decides itself what it reads: then there are no such sentences. But members of `nfv` that no template asks for are named wherever no
 * script gets them.
 */
export function unreadParams(subject: ParamsSubject): string[] {
  const { definition, request, package: record, flavourId, drivers } = subject;
  const params = request.additionalParams;
  const { paramsRead = [] } = definition;
  if (!isJsonObject(params)) return [];
  if (scriptOf({ instance: subject.instance, opOcc: { request } }, definition.script) !== undefined) return [];
  const flavour = record.model.flavours.some(({ id }) => id === flavourId) ? flavourOf(record.model, flavourId) : undefined;
  const onCluster = params[DEF_FILES] !== undefined || subject.instance.instantiated?.vim.kind === 'kubernetes';
  const asked = onCluster || !isJsonObject(params.nfv) || !paramsRead.includes('nfv') ? [] : unasked(flavour, params.nfv);
  if (drivers.length > 0) return asked;
  const ofTemplates = definition.makesVnf === true ? (flavour?.baseHot?.parameters.map(({ name }) => name) ?? []) : [];
  const read = [...paramsRead, ...ofTemplates];
  const unread = Object.keys(params).filter((name) => !read.includes(name));
  return [...firstOf(unread, (name) => unreadParam(name, read)), ...asked];
}

function unreadParam(name: string, read: readonly string[]): string {
  const meant = nearest(name.slice(0, LONGEST_NAME), read);
  const advice = meant === undefined ? 'leave it out' : `did you mean ${meant}?`;
  return `/additionalParams/${shown(name)} is not used: the flavour has no management driver or script that is told it, and no template asks for it; ${advice}`;
}

/** `nfv.VDU.VDU1.flavour` where the templates ask for `nfv.VDU.VDU1.flavor`. */
function unasked(flavour: Flavour | undefined, nfv: JsonObject): string[] {
  const hot = flavour?.baseHot;
  if (hot === undefined || handsOnMore(hot)) return [];
  const asked = hot.nfvReferences.map(({ section, name, attribute }) => [section, name, attribute]);
  const given = Object.entries(nfv).flatMap(([section, names]) =>
    isJsonObject(names)
      ? Object.entries(names).flatMap(([name, values]) =>
          isJsonObject(values) ? Object.keys(values).map((attribute) => [section, name, attribute]) : [[section, name]],
        )
      : [[section]],
  );
  const unread = given.filter((place) => !asked.some((reference) => place.every((token, index) => token === reference[index])));
  const names = asked.map((reference) => reference.join('.'));
  return firstOf(unread, (place) => {
    const meant = nearest(place.join('.').slice(0, LONGEST_NAME), names);
    const advice = meant === undefined ? 'leave it out' : `did you mean nfv.${meant}?`;
    return `/additionalParams/nfv/${place.map(shown).join('/')} is not used: no template asks for it; ${advice}`;
  });
}

/**
 * A template that reads `nfv` as a whole, or a large part of it, may pass any member on under a different name: `get_param: nfv`, `get_param: [nfv,
 * VDU]`.
 */
const WHOLE = /get_param["']?\s*:\s*(?:nfv\b|\[\s*["']?nfv["']?\s*(?:,[^,\]]*){0,2}\])/;

const handsOnMore = (hot: BaseHot): boolean => [hot.top, ...Object.values(hot.files)].some(({ text }) => WHOLE.test(text));

/** The most sentences in one answer. Further ones show at the next request. */
const MOST = 20;

/** The first sentences, and the number of the others. Similar names are looked for only for the first. */
function firstOf<T>(all: readonly T[], sentence: (each: T) => string): string[] {
  const told = all.slice(0, MOST).map(sentence);
  return all.length <= MOST ? told : [...told, `and ${all.length - MOST} more additionalParams that are not used`];
}

const LONGEST_NAME = 100;

const shown = (name: string): string => pointerToken(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
