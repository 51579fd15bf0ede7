/** Assembles the lines of a text that arrives in pieces: an incomplete line waits for the next piece. */
export class LineAssembler {
  readonly #longest: number
  #unfinished = ''

  /** Keeps the last `longest` characters of an incomplete line. */
  constructor(longest = Infinity) {
    this.#longest = longest
  }

  /** The lines that end in this piece. */
  add(piece: string): string[] {
    const lines = (this.#unfinished + piece).split('\n')
    this.#unfinished = lines.pop()!.slice(-this.#longest)
    return lines
  }

  /** The incomplete line, if there is one; the next piece begins a new line. */
  flush(): string[] {
    const line = this.#unfinished
    this.#unfinished = ''
    return line === '' ? [] : [line]
  }
}
