import { HttpFailure } from './answer.js';

const UNAUTHORIZED = 'The request you have made requires authentication.';

/** The refusal of the token middleware, which most services share. */
export const middlewareUnauthorized = (): HttpFailure =>
  new HttpFailure(401, UNAUTHORIZED, { error: { code: 401, title: 'Unauthorized', message: UNAUTHORIZED } });
