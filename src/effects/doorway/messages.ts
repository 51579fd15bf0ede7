import type { Socket } from 'node:net'
import type { Caller, DoorwayCall, DoorwayEnd } from '../../contracts/doorway.ts'

// The messages of the doorway, one JSON value a line. A connection carries one request, and its answer: lines of output
// while it runs, then the end in pages; or, for MCP, the messages of that protocol in both directions.

/** The version of this form. It counts up when an older end would misread a message. */
export const VERSION = 1

/** The longest request (bytes): a file of a memory has at most 1 MB, and JSON spells some characters with six. */
export const LONGEST_REQUEST = 8 * 1024 * 1024

/** The longest page of an answer (characters), and the most of all (bytes). */
const PAGE = 64 * 1024
const LONGEST_ANSWER = 64 * 1024 * 1024

/** The request of a connection. `presence` asks only whether a process answers. */
export type Asked = { readonly ask: 'presence' | 'tools' } | { readonly ask: 'operation'; readonly call: DoorwayCall }

export const requestLine = (asked: Asked, caller: Caller | undefined): string =>
  `${JSON.stringify({ aiswarm: VERSION, ...(caller === undefined ? {} : { caller }), ...asked })}\n`

/** One line of an answer. */
type Line =
  | { readonly out: string }
  | { readonly err: string }
  /** A part of the end's JSON. */
  | { readonly page: string }
  | { readonly end: true }

/** The other end of a connection, as its server writes to it. */
export interface Reply {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly end: (end: DoorwayEnd) => void
}

/** A caller that does not read loses the connection when so much waits for it (bytes). */
const UNREAD = LONGEST_ANSWER

export const replyTo = (socket: Socket): Reply => {
  const say = (line: Line): void => {
    if (socket.destroyed || socket.writableEnded) return
    socket.write(`${JSON.stringify({ aiswarm: VERSION, ...line })}\n`)
    if (socket.writableLength > UNREAD) socket.destroy()
  }
  const inPages = (text: string, line: (page: string) => Line): void => {
    for (let at = 0; at < text.length; at += PAGE) say(line(text.slice(at, at + PAGE)))
  }
  return {
    out: (out) => inPages(out, (page) => ({ out: page })),
    err: (err) => inPages(err, (page) => ({ err: page })),
    end: (end) => {
      const json = JSON.stringify(end)
      inPages(json.length > LONGEST_ANSWER ? JSON.stringify(tooLarge) : json, (page) => ({ page }))
      say({ end: true })
      socket.end()
    },
  }
}

const tooLarge: DoorwayEnd = {
  refusal: {
    code: 'invalid_input',
    message: 'The answer has more than 64 MB, too much for an agent. Ask for a part of it.',
  },
}

/** How an answer is taken apart: what is said before its end, and the end, which is missing if the connection is lost. */
export const readReply = (
  socket: Socket,
  say: { readonly out: (text: string) => void; readonly err: (text: string) => void },
): Promise<DoorwayEnd | undefined> => {
  const pages: string[] = []
  let whole = false
  const lines = new Lines((text) => {
    const line = JSON.parse(text) as Line
    if ('out' in line) say.out(line.out)
    else if ('err' in line) say.err(line.err)
    else if ('page' in line) pages.push(line.page)
    else whole = true
    if (whole) socket.destroy()
  })
  socket.on('data', (piece: Buffer) => lines.take(piece))
  return new Promise((resolve) =>
    socket.once('close', () => resolve(whole ? (JSON.parse(pages.join('')) as DoorwayEnd) : undefined)),
  )
}

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
