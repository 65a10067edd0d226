/**
 * Where in a shell text one stands: `plain` is where a single-quoted word means itself.
 * `sub` is plain text inside `$( )`; nothing may be filled in at any of the others.
 */
export type ShellContext = 'plain' | 'sub' | 'single' | 'double' | 'backtick' | 'parameter' | 'arithmetic' | 'comment';

interface Frame {
  readonly context: ShellContext;
  /** Parentheses open in this frame. */
  depth: number;
}

/**
 * Follows POSIX sh text just far enough to know whether a quoted word can be put in at its end. Where it is in doubt it
 * stays in a context in which nothing may be put in: it errs towards refusing.
 */
export class ShellScanner {
  readonly #stack: Frame[] = [{ context: 'plain', depth: 0 }];
  #previous = '\n';
  #afterEscape = false;
  #hereDocument = false;

  get context(): ShellContext {
    return this.#top().context;
  }

  /** A backslash or a dollar sign right before changes what a quote means. */
  get endsInEscape(): boolean {
    return this.#previous === '\\' || (this.#previous === '$' && !this.#afterEscape);
  }

  get hasHereDocument(): boolean {
    return this.#hereDocument;
  }

  /** Whether the last character ends a word. */
  get atWordStart(): boolean {
    return !this.#afterEscape && /[\s;|&()]/.test(this.#previous);
  }

  scan(text: string): void {
    let index = 0;
    while (index < text.length) index += this.#step(text, index);
  }

  /** A quoted word was put in: what follows stands after a word's end. */
  word(): void {
    this.#previous = "'";
    this.#afterEscape = false;
  }

  /** How many characters of the text it took. */
  #step(text: string, at: number): number {
    const char = text.charAt(at);
    const frame = this.#top();
    if (frame.context === 'single') return this.#take(char, char === "'" ? () => this.#pop() : undefined);
    if (frame.context === 'comment') return this.#take(char, char === '\n' ? () => this.#pop() : undefined);
    if (this.#previous === '\\') {
      // Escaped: it means itself, and ends the escape.
      this.#previous = char === '\\' ? 'x' : char;
      this.#afterEscape = true;
      return 1;
    }
    if (char === '\\') return this.#take(char);
    if (frame.context === 'backtick') return this.#take(char, char === '`' ? () => this.#pop() : undefined);
    return this.#expansion(text, at) ?? this.#structure(text, at, char, frame);
  }

  #expansion(text: string, at: number): number | undefined {
    const open = (context: ShellContext, length: number): number => {
      this.#stack.push({ context, depth: 0 });
      this.#previous = '(';
      this.#afterEscape = false;
      return length;
    };
    if (text.startsWith('$((', at)) return open('arithmetic', 3);
    if (text.startsWith('$(', at)) return open('sub', 2);
    if (text.startsWith('${', at)) return open('parameter', 2);
    if (text.charAt(at) === '`') return open('backtick', 1);
    return undefined;
  }

  #structure(text: string, at: number, char: string, frame: Frame): number {
    if (char === '"') {
      if (frame.context === 'double') this.#pop();
      else this.#stack.push({ context: 'double', depth: 0 });
      return this.#take(char);
    }
    if (frame.context === 'double') return this.#take(char);
    if (char === "'") return this.#take(char, () => this.#stack.push({ context: 'single', depth: 0 }));
    if (frame.context === 'parameter') return this.#take(char, char === '}' ? () => this.#pop() : undefined);
    if (frame.context === 'arithmetic') return this.#arithmetic(text, at, char, frame);
    if (text.startsWith('<<', at)) this.#hereDocument = true;
    if (char === '#' && this.atWordStart) return this.#take(char, () => this.#stack.push({ context: 'comment', depth: 0 }));
    if (char === '(') frame.depth += 1;
    else if (char === ')' && frame.depth > 0) frame.depth -= 1;
    else if (char === ')' && frame.context === 'sub') this.#pop();
    return this.#take(char);
  }

  #arithmetic(text: string, at: number, char: string, frame: Frame): number {
    if (char === '(') frame.depth += 1;
    else if (char === ')' && frame.depth > 0) frame.depth -= 1;
    else if (text.startsWith('))', at)) {
      this.#pop();
      this.#previous = ')';
      return 2;
    }
    return this.#take(char);
  }

  #take(char: string, then?: () => unknown): number {
    then?.();
    this.#previous = char;
    this.#afterEscape = false;
    return 1;
  }

  #top(): Frame {
    return this.#stack.at(-1) ?? { context: 'plain', depth: 0 };
  }

  #pop(): void {
    if (this.#stack.length > 1) this.#stack.pop();
  }
}
