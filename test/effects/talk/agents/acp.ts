import { AcpDriver } from '../../../../src/agents/acp/driver.ts'
import { acpTalk, type Differences, openingOf } from '../../../../src/agents/acp/conversation.ts'
import { plain } from '../../../../src/agents/custom.ts'
import { qwenAcp } from '../../../../src/agents/qwen.ts'
import { type Act, type Agent, type Protocol, Questions } from './agent.ts'

type Part = { readonly text: string }
interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly prompt?: readonly Part[] }
  readonly result?: { readonly outcome?: unknown; readonly messages?: readonly string[] }
}

const textOf = (parts: readonly Part[] = []): string => parts.map(({ text }) => text).join('\n')

/**
 * An agent of the Agent Client Protocol: one prompt at a time, whose answer ends its turn. With `drains` it asks for
 * words after each call of a tool, as Qwen Code does.
 */
class AcpAgent implements Agent {
  readonly heard: string[] = []
  readonly #questions = new Questions()
  readonly #print: (message: object) => void
  readonly #drains: string | undefined
  /** The prompt of the turn that runs, and whether its text was read. */
  #prompt: { readonly id: string | number; readonly text: string; read: boolean } | undefined
  #drained = 0

  constructor(print: (message: object) => void, drains: string | undefined) {
    this.#print = (message) => print({ jsonrpc: '2.0', ...message })
    this.#drains = drains
  }

  get answers(): ReadonlyMap<string, number> {
    return this.#questions.answers
  }

  get unread(): boolean {
    return this.#prompt?.read === false
  }

  take(line: string): void {
    const { id, method, params, result } = JSON.parse(line) as Message
    switch (method) {
      case 'initialize':
        return this.#print({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
      case 'session/new':
        return this.#print({
          id,
          result: { sessionId: 'session-1', modes: { currentModeId: 'default', availableModes: [{ id: 'default' }] } },
        })
      case 'session/set_mode':
        return this.#print({ id, result: {} })
      case 'session/prompt':
        if (this.#prompt) throw new Error('a second prompt would cancel or lose the first')
        this.#prompt = { id: id!, text: textOf(params!.prompt), read: false }
        return
      case 'session/cancel':
        return this.#over('cancelled')
    }
    if (result?.outcome !== undefined) this.#questions.answered(String(id))
    if (result?.messages) this.#says(result.messages)
  }

  act(act: Act): void {
    if (act === 'take') {
      this.#read()
      if (this.#drains !== undefined && this.#prompt)
        this.#print({ id: `drain-${this.#drained++}`, method: this.#drains, params: { sessionId: 'session-1' } })
    } else if (this.#prompt && act === 'end') {
      if (this.#questions.open.size === 0) this.#over('end_turn')
    } else if (this.#prompt) this.#ask(act === 'ask twice' ? 2 : 1)
  }

  #ask(times: number): void {
    const call = this.#questions.ask()
    const toolCall = { toolCallId: call, title: call, kind: 'execute', rawInput: { command: call } }
    const options = ['allow_once', 'reject_once'].map((kind) => ({ kind, optionId: kind, name: kind }))
    // The first question shows that the prompt was read.
    this.#read()
    for (let n = 0; n < times; n++)
      this.#print({
        id: call,
        method: 'session/request_permission',
        params: { sessionId: 'session-1', toolCall, options },
      })
  }

  #read(): void {
    if (!this.#prompt || this.#prompt.read) return
    this.#prompt.read = true
    this.#says([this.#prompt.text])
  }

  /** The turn continues with these words, which its next update shows. */
  #says(words: readonly string[]): void {
    this.heard.push(...words)
    const content = { type: 'text', text: 'Yes.' }
    const update = { sessionUpdate: 'agent_message_chunk', content }
    if (words.length > 0) this.#print({ method: 'session/update', params: { sessionId: 'session-1', update } })
  }

  #over(stopReason: string): void {
    const prompt = this.#prompt
    if (!prompt) return
    if (!prompt.read) this.heard.push(prompt.text)
    this.#prompt = undefined
    this.#questions.open.clear()
    this.#print({ id: prompt.id, result: { stopReason } })
  }
}

const speaking = (kind: string, differences: Differences): Protocol => ({
  kind,
  talk: acpTalk(differences),
  driver: () => new AcpDriver(),
  opening: openingOf(
    differences,
    { folder: '/repo', resume: null },
    { mcpServers: [], modes: ['default'], strict: true },
  ),
  agent: (print) => new AcpAgent(print, differences.drains),
})

/** Words in the middle of a turn cancel it. */
export const acp = speaking('opencode', plain)

/** Words in the middle of a turn wait until the agent asks for them. */
export const acpThatDrains = speaking('qwen', qwenAcp)
