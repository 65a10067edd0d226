import { isJsonObject, mergePatch, type Json, type JsonObject } from '@windlass/foundation';
import { StatusError } from '../../kube/status-error.js';
import { applyJsonPatch } from './json-patch.js';
import { strategicMerge } from './strategic-merge.js';

export type Patch = (document: JsonObject) => JsonObject;

/**
 * The patch in a request's body, by its media type.
 * @throws StatusError 415 for server-side apply and unknown types
 */
export function patchOf(contentType: string, body: Json): Patch {
  const type = contentType.split(';')[0]?.trim() ?? '';
  if (type === 'application/json-patch+json') return (document) => applyJsonPatch(document, body);
  if (type === 'application/merge-patch+json') {
    return (document) => {
      const result = mergePatch(document, body);
      if (!isJsonObject(result)) throw StatusError.badRequest('the patch does not leave an object');
      return result;
    };
  }
  if (type === 'application/strategic-merge-patch+json') {
    if (!isJsonObject(body)) throw StatusError.badRequest('a strategic merge patch must be an object');
    return (document) => strategicMerge(document, body);
  }
  throw StatusError.unsupportedMedia(
    `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, ` +
      `application/merge-patch+json, application/strategic-merge-patch+json (server-side apply: not in the windlass-lab stand-in)`,
  );
}
