/** The lines of a stream of bytes. */
export class Lines {
  readonly #each: (line: string) => void
  #pieces: Buffer[] = []

  constructor(each: (line: string) => void) {
    this.#each = each
  }

  take(piece: Buffer): void {
    let from = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      this.#pieces.push(piece.subarray(from, end))
      const line = Buffer.concat(this.#pieces).toString('utf8')
      this.#pieces = []
      from = end + 1
      this.#each(line)
    }
    if (from < piece.length) this.#pieces.push(piece.subarray(from))
  }
}
