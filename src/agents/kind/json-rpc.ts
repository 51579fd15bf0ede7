import { type Note, noteLine, type Step } from './conversation.ts'
import { fields, type Fields, text } from './json-line.ts'

/** Called with the answer to one of our requests. */
export type Answer = (result: Fields, error: Fields | undefined) => void

/** The name of a request by its id: a number and a text are different ids. */
export const keyOf = (id: unknown): string => JSON.stringify(id)

/** The messages of one side of JSON-RPC, as lines that are gathered until the next step. */
export class Wire {
  #send: string[] = []
  #note: string[] = []
  readonly #version: object
  readonly #answers = new Map<string, Answer>()
  #requests = 0

  /** `version` is what every message begins with. */
  constructor(version: object = { jsonrpc: '2.0' }) {
    this.#version = version
  }

  request(method: string, params: unknown, answer: Answer, id = `aiswarm-${this.#requests++}`): void {
    this.#answers.set(keyOf(id), answer)
    this.#line({ id, method, params })
  }

  notify(method: string, params?: unknown): void {
    this.#line(params === undefined ? { method } : { method, params })
  }

  result(id: unknown, result: unknown): void {
    this.#line({ id, result })
  }

  error(id: unknown, code: number, message: string): void {
    this.#line({ id, error: { code, message } })
  }

  /** Takes the answer to one of our requests; an answer to none is ignored. */
  answered({ id, result, error }: Fields): void {
    const answer = this.#answers.get(keyOf(id))
    this.#answers.delete(keyOf(id))
    answer?.(fields(result), error === undefined ? undefined : fields(error))
  }

  tell(note: Note): void {
    this.#note.push(noteLine(note))
  }

  step(): Step {
    const step = { send: this.#send, note: this.#note }
    this.#send = []
    this.#note = []
    return step
  }

  #line(message: object): void {
    this.#send.push(JSON.stringify({ ...this.#version, ...message }))
  }
}

/** An error of the other side in one sentence. */
export const sentenceOf = ({ code, message, data }: Fields): string =>
  [typeof code === 'number' ? String(code) : '', text(message) || 'it answered with an error', detailsOf(data)]
    .filter(Boolean)
    .join(' ')

const detailsOf = (data: unknown): string =>
  data === undefined || data === null ? '' : typeof data === 'string' ? data : JSON.stringify(data).slice(0, 2000)
