// Lines of a program's output: assembling them from pieces, and telling which look like an error.

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

/** Words in a program's output that indicate an error. */
const errorWords =
  /npm err!|\b(?:errors?|errno|fatal|panic(?:ked)?|exception|traceback|unhandled|uncaught|segmentation fault|core dumped|failed|failure|failures|cannot find|not found|denied)\b|✗|✖|❌/i

/**
 * Names and codes that indicate an error: `TypeError:`, `java.io.IOException`, `ERR_MODULE_NOT_FOUND`, `FAIL
 * src/a.test.ts`, `not ok 3`.
 */
const named = /\b[A-Z]\w*(?:Error|Exception)\b|\bERR_[A-Z_]+|\bFAIL\b(?!\s*[:=]\s*0\b)|^\s*not ok\b/

/** The same words in a message about success: `0 errors`, `no failures`, `without errors`. */
const none =
  /\b(?:0|no|zero|without)\s+(?:errors?|exceptions?|failed|failures?)\b|\b(?:errors?|failures?|failed)\s*[:=]\s*0\b/gi

/** True if a line of output without a level looks like an error. */
export const looksLikeError = (line: string): boolean => {
  const told = line.replace(none, '')
  return errorWords.test(told) || named.test(told)
}
