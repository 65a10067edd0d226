/** An event of `text/event-stream` as it arrives. */
export interface ReceivedEvent {
  event: string;
  data: string;
  /** The last id told so far. */
  lastEventId: string | undefined;
}

/** Longer than any event of ours: what goes on beyond it is no event stream. */
const MAX_LINE_LENGTH = 4 * 1024 * 1024;

/** Reads events from text as it comes, cut anywhere (WHATWG HTML 9.2.6). */
export class EventParser {
  #rest = '';
  #event = '';
  #data: string[] = [];
  #lastEventId: string | undefined;

  constructor(lastEventId?: string) {
    this.#lastEventId = lastEventId;
  }

  /** @throws RangeError for a line that does not end */
  *push(text: string): Generator<ReceivedEvent> {
    this.#rest += text;
    // A CR at the end may be the half of a CR LF.
    for (let end = this.#rest.search(/\r\n|\n|\r(?!$)/); end !== -1; end = this.#rest.search(/\r\n|\n|\r(?!$)/)) {
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + (this.#rest.startsWith('\r\n', end) ? 2 : 1));
      const event = this.#take(line);
      if (event !== undefined) yield event;
    }
    if (this.#rest.length > MAX_LINE_LENGTH) throw new RangeError('a line of the event stream does not end');
  }

  #take(line: string): ReceivedEvent | undefined {
    if (line === '') return this.#dispatch();
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#lastEventId = value;
    return undefined;
  }

  #dispatch(): ReceivedEvent | undefined {
    const told = {
      event: this.#event === '' ? 'message' : this.#event,
      data: this.#data.join('\n'),
      lastEventId: this.#lastEventId,
    };
    const any = this.#data.length > 0;
    this.#event = '';
    this.#data = [];
    return any ? told : undefined;
  }
}
