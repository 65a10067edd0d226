import { WindlassError } from '@windlass/foundation';

/** What was tried, and what was wrong with it, if anything was. */
export interface Tried {
  title: string;
  wrong?: string;
}

/** Tries it; what the driver did wrong is told, our own errors are thrown. */
export async function tried(title: string, work: () => Promise<void>): Promise<Tried> {
  try {
    await work();
    return { title };
  } catch (error) {
    if (!(error instanceof WindlassError)) throw error;
    return { title, wrong: `${error.message} (${error.code})` };
  }
}
