import { isJsonObject, type Json, type JsonObject } from '@windlass/foundation';

/**
 * The JSON object in a file of a node.
 * @param unreadable makes the error for any other content. JSON.parse's own error quotes the file, which may hold passwords
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
