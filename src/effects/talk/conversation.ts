import type { Heard, Talk } from '../../agents/kind/conversation.ts'
import { spoken } from '../../domain/agent/messages.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import type { MessageView } from '../../operations/messages/messages.ts'
import { denialOf, type RequestView } from '../../operations/requests/requests.ts'
import type { Entry } from './journal-entry.ts'
import { OPEN, PROMPT } from './journal.ts'

// The state of the conversation with one run. It follows from two files alone, the journal and the agent's output, so a
// process that takes over arrives at the same state by reading them again.

/** A call of a tool that waits for a verdict. */
interface Ask {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly choices: unknown
  /** The number of its request, once there is one. */
  requestId?: number
  /** Why there cannot be one. */
  refused?: string
}

/** Numbers of messages and requests whose rows do not tell yet what was heard. */
interface News {
  readonly seen: readonly number[]
  readonly withdrawn: readonly number[]
  /** Requests whose answers are in the journal. */
  readonly told: readonly number[]
}

/** The entries to be sent to an agent, and the rows that then change. */
export interface Plan {
  readonly entries: readonly Entry[]
  readonly handedOver: readonly number[]
}

const END = 'end'

export class Conversation {
  readonly #uuidOf: (id: string) => string
  /** The ids of the journal, in order, and those among them that the agent has not taken in. */
  #ids: readonly string[] = []
  readonly #unseen = new Map<string, string>()
  readonly #seen = new Set<string>()
  readonly #asks = new Map<string, Ask>()
  readonly #unknown = new Map<string, string>()
  #busy = true
  #news: News = { seen: [], withdrawn: [], told: [] }

  constructor(uuidOf: (id: string) => string) {
    this.#uuidOf = uuidOf
  }

  /** Takes in what the journal contains by now. */
  wrote(ids: readonly string[]): void {
    for (const id of ids.slice(this.#ids.length)) {
      const uuid = this.#uuidOf(id)
      if (!id.startsWith('answer:') && id !== END && id !== OPEN && !this.#seen.has(uuid)) this.#unseen.set(uuid, id)
      this.#answered(id.slice('answer:'.length))
      this.#unknown.delete(id.slice('answer:'.length))
    }
    this.#ids = ids
  }

  hear(heard: Heard): void {
    switch (heard.kind) {
      case 'busy':
        this.#busy = true
        break
      case 'idle':
        this.#busy = false
        break
      case 'seen':
        this.#see(heard.id, heard.over === true)
        break
      case 'unread':
        // Its row keeps its state until the run ends; nothing more will come of it.
        this.#unseen.delete(heard.id)
        break
      case 'asks':
        // A question that is asked twice is one question.
        if (!this.#asks.has(heard.call) && !this.#isAnswered(heard.call))
          this.#asks.set(heard.call, { tool: heard.tool, input: heard.input, choices: heard.choices })
        break
      case 'asks_else':
        if (!this.#isAnswered(heard.call)) this.#unknown.set(heard.call, heard.what)
        break
      case 'takes_back':
        this.#takeBack(heard.call)
    }
  }

  /** Calls that have no request yet. */
  get unasked(): readonly (readonly [call: string, ask: Ask])[] {
    return [...this.#asks].filter(([, ask]) => ask.requestId === undefined && ask.refused === undefined)
  }

  get requestIds(): readonly number[] {
    return [...this.#asks.values()].flatMap(({ requestId }) => requestId ?? [])
  }

  /** The news that the rows do not have yet. */
  get news(): News {
    return this.#news
  }

  recorded({ seen, withdrawn, told }: News): void {
    this.#news = {
      seen: this.#news.seen.filter((id) => !seen.includes(id)),
      withdrawn: this.#news.withdrawn.filter((id) => !withdrawn.includes(id)),
      told: this.#news.told.filter((id) => !told.includes(id)),
    }
  }

  plan(
    talk: Talk,
    run: Pick<AgentRun, 'doneAt'>,
    messages: readonly MessageView[],
    requests: readonly RequestView[],
  ): Plan {
    if (this.#ids.includes(END)) return { entries: [], handedOver: [] }
    const answers = this.#answers(talk, requests)
    const due = messages.filter(
      ({ status, when }) => status === 'queued' && (when === 'now' || (this.#isIdle && this.#asks.size === 0)),
    )
    const words = due.flatMap((message) => {
      const id = idOf(message)
      if (this.#ids.includes(id)) return []
      const uuid = this.#uuidOf(id)
      return [
        {
          id,
          line: message.kind === 'stop' ? talk.stop(uuid) : talk.say(uuid, spoken(message), message.when === 'now'),
        },
      ]
    })
    const entries = [...answers, ...words]
    const over = entries.length === 0 && due.length === 0 && this.#isOver(run) ? [{ id: END }] : []
    return { entries: [...entries, ...over], handedOver: due.map(({ id }) => id) }
  }

  #answers(talk: Talk, requests: readonly RequestView[]): readonly Entry[] {
    const closed = new Map(requests.filter(({ status }) => status !== 'open').map((request) => [request.id, request]))
    const entries: Entry[] = []
    for (const [call, { requestId, refused, input, choices }] of this.#asks) {
      const request = requestId === undefined ? undefined : closed.get(requestId)
      if (request === undefined && refused === undefined) continue
      const verdict =
        request?.status === 'allowed'
          ? ({ allowed: true, input } as const)
          : ({ allowed: false, message: refused ?? denialOf(request!) } as const)
      const id = `answer:${call}`
      entries.push({ id, line: talk.answer(call, verdict, this.#uuidOf(id), choices) })
    }
    for (const [call, what] of this.#unknown)
      entries.push({ id: `answer:${call}`, line: talk.refuse(call, `aiswarm does not know the request ${what}`) })
    return entries
  }

  /** The turn has ended, and the agent has taken in everything that it was sent. */
  get #isIdle(): boolean {
    return !this.#busy && this.#unseen.size === 0
  }

  /** After a stop the agent waits for words, unless its task has ended. */
  #isOver({ doneAt }: Pick<AgentRun, 'doneAt'>): boolean {
    const last = this.#ids.findLast((id) => id === PROMPT || id.startsWith('say:') || id.startsWith('stop:'))
    return this.#isIdle && this.#asks.size === 0 && (doneAt !== null || last?.startsWith('stop:') !== true)
  }

  #see(uuid: string, over: boolean): void {
    this.#seen.add(uuid)
    const id = this.#unseen.get(uuid)
    if (id === undefined) return
    this.#unseen.delete(uuid)
    if (id !== PROMPT) this.#news = { ...this.#news, seen: [...this.#news.seen, Number(id.split(':')[1])] }
    // A stop does not begin a turn.
    if (!over && !id.startsWith('stop:')) this.#busy = true
  }

  /** The answer is in the journal; its row tells so once the board has taken it. */
  #answered(call: string): void {
    const requestId = this.#asks.get(call)?.requestId
    if (requestId !== undefined) this.#news = { ...this.#news, told: [...this.#news.told, requestId] }
    this.#asks.delete(call)
  }

  #takeBack(call: string): void {
    const requestId = this.#asks.get(call)?.requestId
    if (requestId !== undefined) this.#news = { ...this.#news, withdrawn: [...this.#news.withdrawn, requestId] }
    this.#asks.delete(call)
    this.#unknown.delete(call)
  }

  #isAnswered(call: string): boolean {
    return this.#ids.includes(`answer:${call}`)
  }
}

const idOf = ({ kind, id }: MessageView): string => `${kind}:${id}`
