import { HttpFailure, webobPage } from '../http/answer.js';

const TITLES: Record<number, string> = {
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  409: '409 Conflict',
  413: '413 Request Entity Too Large',
  415: '415 Unsupported Media Type',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll("'", '&#x27;')
    .replaceAll('"', '&quot;');

/** Glance's refusal: a page of HTML. */
export function glancePage(status: number, text: string): HttpFailure {
  const title = TITLES[status] ?? `${status} Error`;
  return new HttpFailure(
    status,
    `HTTP ${title}: ${text}`,
    webobPage(title, escaped(text)),
    {},
    `HTTP${title.slice(4).replaceAll(' ', '')}`,
  );
}

/** A value that breaks the schema of an image. */
export const schemaError = (problem: string): HttpFailure =>
  glancePage(400, `Provided object does not match schema 'image': ${problem}`);
