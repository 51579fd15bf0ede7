import { describe, expect, it } from 'vitest'
import { AcpDriver } from '../../../src/agents/acp/driver.ts'
import { acpTalk, openingOf } from '../../../src/agents/acp/conversation.ts'

type Message = Readonly<Record<string, unknown>>

const differences = { modes: [], patience: 1000 }
const talk = acpTalk(differences)

/** A session whose prompt is with the agent. */
const working = () => {
  const driver = new AcpDriver()
  const sent: Message[] = []
  const done = ({ send }: ReturnType<AcpDriver['take']>): void => {
    sent.push(...send.map((line) => JSON.parse(line) as Message))
  }
  const take = (line: string): void => done(driver.take(line))
  const prints = (message: Message): void => done(driver.hear(JSON.stringify({ jsonrpc: '2.0', ...message })))
  const answers = (method: string, result: unknown): void =>
    prints({ id: sent.findLast((one) => one.method === method)!.id, result })
  take(openingOf(differences, { folder: '/repo', resume: null }, { mcpServers: [], modes: [], strict: false }))
  take(talk.say('prompt', 'the prompt', false))
  answers('initialize', { protocolVersion: 1 })
  answers('session/new', { sessionId: 'session-1' })
  const asks = (id: string, toolCall: object): readonly Message[] => {
    const options = [
      { optionId: 'yes', kind: 'allow_once' },
      { optionId: 'no', kind: 'reject_once' },
    ]
    prints({ id, method: 'session/request_permission', params: { sessionId: 'session-1', toolCall, options } })
    return sent.filter((one) => one.id === id)
  }
  return { take, asks }
}

describe('a request for permission over ACP', () => {
  it('waits for a person, except for a tool of aiswarm', () => {
    const { asks } = working()
    expect(asks('own', { kind: 'other', title: 'mcp__aiswarm__get_next_task' })).toMatchObject([
      { result: { outcome: { outcome: 'selected', optionId: 'yes' } } },
    ])
    expect(asks('other', { kind: 'other', title: 'mcp__shop__buy' })).toEqual([])
    expect(asks('command', { kind: 'execute', title: 'aiswarm_rm', rawInput: { command: 'rm -rf .' } })).toEqual([])
  })

  it('is cancelled if it comes while its turn is stopped', () => {
    const { asks, take } = working()
    take(talk.stop('stop-1'))
    expect(asks('late', { kind: 'execute', rawInput: { command: 'npm test' } })).toMatchObject([
      { result: { outcome: { outcome: 'cancelled' } } },
    ])
  })
})
