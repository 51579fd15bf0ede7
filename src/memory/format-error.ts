/** A problem in a session file: one sentence that begins with `file:line: `. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly file: string
  /** From 1. */
  readonly line: number

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`)
    this.file = file
    this.line = line
  }
}

export const isFormatError = (error: unknown): error is FormatError => error instanceof FormatError
