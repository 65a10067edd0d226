import { RequestError } from '@windlass/foundation';

/** The part of a resource that is sent: bytes from `start` to before `end`. */
export interface ByteRange {
  start: number;
  end: number;
  /** Whether a range was asked for: 206, and not 200. */
  partial: boolean;
}

/** What a request says of ranges, and the resource as it is now. */
export interface RangeRequest {
  /** The header `Range`. */
  range: string | undefined;
  /** The header `If-Range`: the range counts only where this is the resource's present tag, otherwise the whole is sent (RFC 9110 13.1.5). */
  ifRange: string | undefined;
  /** The resource's entity tag, with its quotes. */
  etag: string;
  /** Bytes. */
  size: number;
}

/**
 * The single range of bytes that a request asks for (RFC 9110 14.2, SOL005 9.4.5.3.2).
 * @throws RequestError 400 `request.ranges` for several ranges, 416 `request.range` for a range that can't be read or lies outside
 */
export function byteRangeOf({ range: header, ifRange, etag, size }: RangeRequest): ByteRange {
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return { start: 0, end: size, partial: false };
  if (header.includes(','))
    throw new RequestError(
      400,
      'request.ranges',
      'one range of bytes can be asked for at a time: ask for the next one when it came',
    );
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (first === '' && last === '')
    throw new RequestError(416, 'request.range', 'Range is no range of bytes: send bytes=0-99, bytes=100- or bytes=-100');
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start >= size || start >= end)
    throw new RequestError(416, 'request.range', `there are ${size} bytes, numbered from 0: the range lies outside of them`);
  return { start, end, partial: true };
}
