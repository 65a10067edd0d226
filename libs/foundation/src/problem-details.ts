/** RFC 7807 as SOL013 6.3 profiles it: `status` and `detail` are mandatory. */
export interface ProblemDetails {
  type?: string;
  title?: string;
  status: number;
  detail: string;
  instance?: string;
  /** Windlass's stable, dotted error code. */
  code?: string;
  /** Where the request is wrong, one entry a field. */
  invalidParams?: InvalidParam[];
}

/** One place where a request is wrong. */
export interface InvalidParam {
  /** JSON pointer into the request body (RFC 6901), or the name of a query parameter. */
  path: string;
  reason: string;
}
