/** What a network answers that wants a login first, whatever it was asked for. */
export const LOGIN_PAGE =
  '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Please sign in to use this network</h1></body></html>\n';
