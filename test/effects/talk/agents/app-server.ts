import { CodexDriver } from '../../../../src/agents/codex/driver.ts'
import { appServer, codexOpening } from '../../../../src/agents/codex/app-server.ts'
import { type Act, type Agent, type Protocol, Questions } from './agent.ts'

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly input?: readonly { readonly text: string }[]; readonly clientUserMessageId?: string }
  readonly result?: { readonly decision?: string }
}

/** Codex by its app-server: a turn is steered with its id, and shows each message with the id that it came with. */
class AppServerAgent implements Agent {
  readonly heard: string[] = []
  readonly #questions = new Questions()
  readonly #print: (message: object) => void
  /** The messages to the turn that runs that it has not shown. */
  #pending: { readonly clientId: string; readonly text: string }[] = []
  #turn: string | undefined
  #turns = 0

  constructor(print: (message: object) => void) {
    this.#print = print
  }

  get answers(): ReadonlyMap<string, number> {
    return this.#questions.answers
  }

  get unread(): boolean {
    return this.#pending.length > 0
  }

  take(line: string): void {
    const { id, method, params, result } = JSON.parse(line) as Message
    switch (method) {
      case 'initialize':
        return this.#print({ id, result: {} })
      case 'thread/start':
        return this.#print({ id, result: { thread: { id: 'thread-1' } } })
      case 'turn/start':
        if (this.#turn !== undefined) throw new Error('two turns at once')
        this.#turn = `turn-${this.#turns++}`
        this.#keep(params!)
        return this.#print({ id, result: { turn: { id: this.#turn } } })
      case 'turn/steer':
        if (this.#turn === undefined) return this.#print({ id, error: { code: -32600, message: 'no active turn' } })
        this.#keep(params!)
        return this.#print({ id, result: {} })
      case 'turn/interrupt':
        this.#print({ id, result: {} })
        return this.#over('interrupted')
    }
    if (result?.decision !== undefined) this.#questions.answered(`call-${Number(id)}`)
  }

  act(act: Act): void {
    if (act === 'take') return this.#read()
    if (this.#turn === undefined) return
    if (act === 'end') {
      if (this.#questions.open.size === 0) this.#over('completed')
      return
    }
    const call = this.#questions.ask()
    const id = Number(call.slice('call-'.length))
    for (let n = 0; n < (act === 'ask twice' ? 2 : 1); n++)
      this.#print({ id, method: 'item/commandExecution/requestApproval', params: { command: call, cwd: '/repo' } })
  }

  #keep({ input, clientUserMessageId }: NonNullable<Message['params']>): void {
    this.#pending.push({ clientId: clientUserMessageId!, text: input!.map(({ text }) => text).join('\n') })
  }

  #read(): void {
    for (const { clientId, text } of this.#pending.splice(0)) {
      this.heard.push(text)
      this.#print({ method: 'item/started', params: { item: { type: 'userMessage', clientId } } })
    }
  }

  /** The thread has the messages that came before the end of a turn. */
  #over(status: string): void {
    if (this.#turn === undefined) return
    const id = this.#turn
    this.heard.push(...this.#pending.splice(0).map(({ text }) => text))
    this.#turn = undefined
    for (const call of this.#questions.open)
      this.#print({ method: 'serverRequest/resolved', params: { requestId: Number(call.slice('call-'.length)) } })
    this.#questions.open.clear()
    this.#print({ method: 'turn/completed', params: { turn: { id, status } } })
  }
}

export const codexAppServer: Protocol = {
  kind: 'codex',
  talk: appServer,
  driver: () => new CodexDriver(),
  opening: codexOpening({ resume: null, thread: { cwd: '/repo' } }),
  agent: (print) => new AppServerAgent(print),
}
