import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/**
 * The JSON object that a file of a node holds.
 * @param unreadable what is thrown where it holds none: what JSON.parse says quotes the file, in which passwords may stand
 */
export function jsonObjectIn(text: string, unreadable: () => Error): JsonObject {
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch {
    throw unreadable();
  }
  if (!isJsonObject(json)) throw unreadable();
  return json;
}
