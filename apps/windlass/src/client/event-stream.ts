import { createParser, type EventSourceParser, type ParseError } from 'eventsource-parser';

/** An event of `text/event-stream` as it arrives. */
export interface ReceivedEvent {
  event: string;
  data: string;
  /** The last id told so far. */
  lastEventId: string | undefined;
}

/** Characters: longer than any event of ours. What goes on beyond it is no event stream. */
const MAX_EVENT_LENGTH = 4 * 1024 * 1024;

/** Reads events from text as it comes, cut anywhere (WHATWG HTML 9.2.6). */
export class EventParser {
  readonly #parser: EventSourceParser;
  #received: ReceivedEvent[] = [];
  #broken: ParseError | undefined;

  constructor(lastEventId?: string) {
    let last = lastEventId;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_LENGTH,
      onEvent: ({ event = '', data, id }) => {
        last = id ?? last;
        this.#received.push({ event: event === '' ? 'message' : event, data, lastEventId: last });
      },
      onError: (error) => {
        // A field that nobody knows, or a time that is none, is passed over.
        if (error.type === 'max-buffer-size-exceeded') this.#broken = error;
      },
    });
  }

  /** @throws RangeError for a line or an event that does not end */
  push(text: string): ReceivedEvent[] {
    this.#parser.feed(text);
    if (this.#broken !== undefined) throw new RangeError('a line of the event stream does not end', { cause: this.#broken });
    const received = this.#received;
    this.#received = [];
    return received;
  }
}
