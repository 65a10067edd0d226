/**
 * For `expect.poll` of what a VIM has after a termination or a roll-back: an image that instances have shared is deleted by a clean-up that begins as the operation
 * ends, so that it may go a moment later than the rest.
 */
export const ONCE_CLEANED_UP = { timeout: 60_000, interval: 100 };
