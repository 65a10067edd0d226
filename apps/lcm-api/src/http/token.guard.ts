import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { RequestError, type Secret } from '@windlass/foundation';
import type { IdentifiedRequest, Identity } from './identity.js';

/** Lets in who carries the static token, in `X-Auth-Token` or as a bearer. Reading needs the same token: there is one. */
@Injectable()
export class TokenGuard implements CanActivate {
  readonly #digest: Buffer;

  constructor(
    token: Secret,
    private readonly identity: Identity,
  ) {
    this.#digest = digestOf(token.reveal());
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    const given = tokenIn(request);
    if (given === undefined)
      throw new RequestError(401, 'auth.missing', 'send a token in X-Auth-Token, or as Authorization: Bearer');
    if (!timingSafeEqual(digestOf(given), this.#digest))
      throw new RequestError(401, 'auth.refused', 'the token is not valid here');
    request.identity = this.identity;
    return true;
  }
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

function tokenIn(request: IdentifiedRequest): string | undefined {
  const header = request.header('x-auth-token');
  if (header !== undefined) return header;
  return /^Bearer (.+)$/i.exec(request.header('authorization') ?? '')?.[1];
}
