import type {
  InitializeRequest,
  LoadSessionRequest,
  NewSessionRequest,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk'
import { type Fields, fields, list, text } from '../kind/json-line.ts'
import { type Answer, sentenceOf, type Wire } from '../kind/wire.ts'
import type { Opening } from './journal-line.ts'

/** Called as the opening goes on. */
interface Watcher {
  /** The method whose answer is waited for; undefined when the session is open. */
  readonly waits: (method: string | undefined) => void
  /** The session is known; `steers` if words reach it in the middle of a turn. */
  readonly opened: (session: string, steers: boolean) => void
  readonly failed: (why: string) => void
}

/** Opens the session of an agent, a new one or an earlier one, and puts it into the mode in which it asks. */
export const openSession = (wire: Wire, opening: Opening, watcher: Watcher): void => {
  const params: InitializeRequest = {
    protocolVersion: 1,
    // Files read through the client would need it all the time: all agents can use the disk themselves.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'aiswarm', version: '1' },
  }
  const ask = (method: string, of: unknown, answer: Answer): void => {
    watcher.waits(method)
    wire.request(method, of, (result, error) => {
      if (error) watcher.failed(lostOf(method, opening, sentenceOf(error)))
      else answer(result, undefined)
    })
  }
  ask('initialize', params, (result) => {
    if (result.protocolVersion !== 1)
      return watcher.failed(`it speaks version ${String(result.protocolVersion)} of the Agent Client Protocol, not 1`)
    const capabilities = fields(result.agentCapabilities)
    const steers = [result, capabilities].some((of) => fields(fields(of._meta).steering).supported === true)
    const { cwd, mcpServers, load } = opening
    const session: NewSessionRequest = { cwd, mcpServers: [...mcpServers] }
    const opened = (id: string, answer: Fields): void => {
      if (id === '') return watcher.failed('it named no session')
      wire.tell({ is: 'session', id })
      watcher.opened(id, steers)
      setMode(ask, opening, watcher, id, answer)
    }
    if (load === null || capabilities.loadSession !== true)
      ask('session/new', session, (answer) => opened(text(answer.sessionId), answer))
    else
      ask('session/load', { ...session, sessionId: load } satisfies LoadSessionRequest, (answer) =>
        opened(load, answer),
      )
  })
}

const lostOf = (method: string, { load }: Opening, said: string): string =>
  method === 'session/load' ? `could not find session ${load!}: ${said}` : said

/** The mode is set in every session: agents start in modes of their own, and do not keep it when one is loaded. */
const setMode = (
  ask: (method: string, params: unknown, answer: Answer) => void,
  { modes, strict }: Opening,
  { waits, failed }: Watcher,
  sessionId: string,
  answer: Fields,
): void => {
  const named = list(fields(answer.modes).availableModes).map(({ id }) => text(id))
  const option = list(answer.configOptions).find(({ category, id }) => category === 'mode' || id === 'mode')
  const values = list(option?.options).map(({ value }) => text(value))
  const mode = modes.find((one) => named.includes(one) || values.includes(one))
  if (mode === undefined) {
    if (strict) failed(`it has none of the modes ${modes.join(', ')}, in which it would ask`)
    else waits(undefined)
    return
  }
  const ready = (): void => waits(undefined)
  if (named.includes(mode)) ask('session/set_mode', { sessionId, modeId: mode } satisfies SetSessionModeRequest, ready)
  else
    ask(
      'session/set_config_option',
      { sessionId, configId: text(option!.id), value: mode } satisfies SetSessionConfigOptionRequest,
      ready,
    )
}
