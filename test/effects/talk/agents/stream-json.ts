import { claude } from '../../../../src/agents/claude.ts'
import { type Act, type Agent, type Protocol, Questions } from './agent.ts'

type Message = {
  readonly type: string
  readonly uuid: string
  readonly message: { readonly content: readonly { readonly text: string }[] }
  readonly request_id: string
  readonly response: { readonly request_id: string }
}

/** Claude Code on stream-json: it repeats a message when its turn takes it in, and withdraws questions when it is stopped. */
class StreamAgent implements Agent {
  readonly heard: string[] = []
  readonly #questions = new Questions()
  readonly #waiting: { readonly uuid: string; readonly text: string }[] = []
  readonly #print: (message: object) => void
  #busy = false

  constructor(print: (message: object) => void) {
    this.#print = print
  }

  get answers(): ReadonlyMap<string, number> {
    return this.#questions.answers
  }

  get unread(): boolean {
    return this.#waiting.length > 0
  }

  take(line: string): void {
    const message = JSON.parse(line) as Message
    if (message.type === 'user') this.#waiting.push({ uuid: message.uuid, text: message.message.content[0]!.text })
    if (message.type === 'control_response') this.#questions.answered(message.response.request_id)
    if (message.type !== 'control_request') return
    this.#print({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id } })
    for (const call of this.#questions.open) this.#print({ type: 'control_cancel_request', request_id: call })
    this.#questions.open.clear()
    if (this.#busy) this.#print({ type: 'result', subtype: 'error_during_execution' })
    this.#busy = false
  }

  act(act: Act): void {
    if (act === 'take') return this.#takeIn()
    if (!this.#busy) return
    if (act === 'end') {
      if (this.#questions.open.size > 0) return
      this.#print({ type: 'result', subtype: 'success', result: 'done' })
      this.#busy = false
      return
    }
    const call = this.#questions.ask()
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: call } }
    const times = act === 'ask twice' ? 2 : 1
    for (let n = 0; n < times; n++) this.#print({ type: 'control_request', request_id: call, request })
  }

  #takeIn(): void {
    for (const { uuid, text } of this.#waiting.splice(0)) {
      this.heard.push(text)
      this.#busy = true
      this.#print({ type: 'user', uuid, isReplay: true })
    }
  }
}

export const streamJson: Protocol = {
  kind: 'claude',
  talk: claude.talk!,
  agent: (print) => new StreamAgent(print),
}
