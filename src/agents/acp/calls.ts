import { type Fields, fields, text } from '../kind/json-line.ts'
import type { Note } from '../kind/driver.ts'
import { oneLine } from '../reading/about.ts'
import { callOf } from './call.ts'

/** Calls that may still be completed; older ones are not reported again. */
const MOST = 256

/**
 * Reports each call once, when its subject is known: some agents announce a call before they know its arguments, some
 * announce none that they asked for.
 */
export class Calls {
  readonly #titled: boolean
  readonly #reported = new Set<string>()
  readonly #began = new Map<string, Fields>()

  constructor(titled: boolean) {
    this.#titled = titled
  }

  /** The call of an update or of a request for permission; undefined if it was reported already, or is not known yet. */
  know(update: Fields): Note | undefined {
    const id = text(update.toolCallId)
    if (id === '' || this.#reported.has(id)) return undefined
    const began = this.#began.get(id) ?? {}
    const call: Fields = { ...began, ...update, _meta: { ...fields(began._meta), ...fields(update._meta) } }
    this.#keep(id, call)
    const ended = update.status === 'completed' || update.status === 'failed'
    const known = Object.keys(fields(update.rawInput)).some((key) => key !== 'cwd')
    const asks = update.sessionUpdate === undefined
    if (!ended && !known && !asks) return undefined
    this.#began.delete(id)
    this.#reported.add(id)
    if (this.#reported.size > MOST) this.#reported.delete(this.#reported.values().next().value!)
    const { tool, about } = callOf(call, this.#titled)
    return { is: 'call', call: id, name: tool, about: oneLine(about === tool ? '' : about) }
  }

  #keep(id: string, call: Fields): void {
    this.#began.set(id, call)
    if (this.#began.size > MOST) this.#began.delete(this.#began.keys().next().value!)
  }
}
