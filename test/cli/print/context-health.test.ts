import { describe, expect, it } from 'vitest'
import { toolCosts } from '../../../src/mcp/server/tool-costs.ts'
import { client, person, system } from '../../../src/domain/agent/actor.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { recordRunReport } from '../../../src/operations/runs/reports.ts'
import { openTerminal, type Terminal } from '../terminal.ts'

/** An agent at work whose context has this many tokens. */
const working = async (use: { tokens: number; window: number; estimated?: boolean } | null): Promise<Terminal> => {
  const terminal = await openTerminal()
  const { core } = terminal
  await terminal.json('task', 'add', 'Log in', '--persona', 'implementer', '--kind', 'claude')
  await perform(core, dispatch, { maxParallel: 1 }, system())
  await perform(
    core,
    recordLaunch,
    { agentId: 'implementer-1', run: 1, pid: 4242, startedAt: '99', bootId: 'boot', startsTask: true },
    system(),
  )
  if (use)
    await perform(
      core,
      recordRunReport,
      { agentId: 'implementer-1', run: 1, use: { estimated: false, ...use } },
      system(),
    )
  return terminal
}

describe('the context of an agent', () => {
  it('is printed in JSON, and is null if it is unknown', async () => {
    const { json } = await working({ tokens: 143_000, window: 200_000 })
    const context = { tokens: 143_000, window: 200_000, percent: 72, estimated: false }
    expect(await json('agent', 'list')).toMatchObject([{ id: 'implementer-1', context }])
    expect(await json('status')).toMatchObject({ agents: [{ context }] })
    expect(await json('agent', 'show', 'implementer-1')).toMatchObject({ context })
    expect(await (await working(null)).json('agent', 'list')).toMatchObject([{ context: null }])
  })

  it('is marked in the lists when it is crowded, with the command that compresses it', async () => {
    const { run } = await working({ tokens: 143_000, window: 200_000 })
    const suggested =
      'Context of implementer-1: 143k of 200k (72%) ⚠, compression suggested: aiswarm memory compress --tokens 143000'
    for (const words of [['agent', 'list'], ['status']]) {
      const { out } = await run(...words)
      expect(out).toMatch(/BEAT {2,}CTX {2}TASK/)
      expect(out).toMatch(/implementer-1 .* 72% ⚠ /)
      expect(out).toContain(suggested)
    }
    expect((await run('agent', 'show', 'implementer-1')).out).toMatch(
      /^context +143k of 200k \(72%\) ⚠, compression suggested: aiswarm memory compress --tokens 143000$/m,
    )
  })

  it('is marked as estimated, and below the limits no command is suggested', async () => {
    const { out } = await (await working({ tokens: 24_000, window: 200_000, estimated: true })).run('agent', 'list')
    expect(out).toMatch(/ ~12% /)
    expect(out).not.toContain('⚠')
    expect(out).not.toContain('compress')
  })

  it('is replaced by the context of a later turn', async () => {
    const { core, json } = await working({ tokens: 143_000, window: 200_000 })
    await perform(
      core,
      recordRunReport,
      { agentId: 'implementer-1', run: 1, use: { tokens: 9000, window: 200_000, estimated: false } },
      system(),
    )
    expect(await json('agent', 'list')).toMatchObject([{ context: { tokens: 9000, percent: 5 } }])
  })
})

describe('aiswarm mcp --print-tools', () => {
  it('prints the enabled tools of the caller, and the tool costs of each persona', async () => {
    const terminal = await openTerminal({
      services: {
        listMcpTools: ({ core }, { planner }) => toolCosts({ core, actor: planner ? client('planner') : person }),
      },
    })
    const plain = (await terminal.run('mcp', '--print-tools')).out
    expect(plain).toMatch(/^propose_adr +Propose a decision +project-memory \(off\) +\d+$/m)
    expect(plain).toMatch(/^ {2}planner +project-memory +\d+$/m)
    expect(plain).toMatch(/^ {2}implementer +– +\d+$/m)
    const planning = (await terminal.run('mcp', '--print-tools', '--as', 'planner')).out
    expect(planning).toMatch(/^propose_adr +Propose a decision +project-memory +\d+$/m)
    const total = (out: string): number => Number(/enabled.* (\d+)$/m.exec(out)![1])
    expect(plain).toMatch(new RegExp(`^ {2}implementer .* ${total(plain)}$`, 'm'))
    expect(planning).toMatch(new RegExp(`^ {2}planner .* ${total(planning)}$`, 'm'))
    const tools = await terminal.json<
      readonly { name: string; toolset: string | null; on: boolean; personas: readonly string[]; tokens: number }[]
    >('mcp', '--print-tools')
    expect(tools.find(({ name }) => name === 'accept_adr')).toMatchObject({
      toolset: 'project-memory',
      on: false,
      personas: ['planner', 'reviewer'],
      tokens: expect.any(Number) as number,
    })
  })
})
