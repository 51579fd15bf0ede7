import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { followJobs } from '../../../src/effects/loops/supervisor.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { temporaryFolder } from '../../support/core.ts'
import { fakeCli, lineOf, says, tells, waitsFor } from '../fake-cli.ts'
import { openSwarm, type Swarm, until } from '../swarm.ts'

/** A swarm of this CLI whose agent has printed the script's output up to `spoken`. */
const speaking = async (cli: string, script: string, config = '') => {
  const fake = fakeCli(cli, script + tells('spoken') + waitsFor('end'))
  const swarm = await openSwarm({
    config: `agents: {default: ${cli}, kinds: {codex: {protocol: headless}}}\n${config}`,
  })
  await swarm.task({ title: 'Log in' })
  const run = await swarm.begin()
  await until('its words', () => fake.told('spoken'))
  return { swarm, fake, run, context: async () => (await swarm.agent(run.agentId)).context }
}

const follow = async (swarm: Swarm): Promise<void> => {
  for (const job of followJobs(swarm.world, await wishesOf(swarm.world))) await job.run()
}

const turn = (tokens: number) => ({
  type: 'assistant',
  message: { usage: { input_tokens: tokens - 40, output_tokens: 40 }, content: [{ type: 'text', text: 'so' }] },
  parent_tool_use_id: null,
})
const begins = {
  type: 'system',
  subtype: 'init',
  session_id: 's',
  model: 'claude-sonnet-4-5',
  mcp_servers: [{ name: 'aiswarm', status: 'connected' }],
}

it('an agent is shown with the context of its latest turn, during its work and afterwards', async () => {
  const { swarm, fake, run, context } = await speaking('claude', says(begins, turn(30_000), turn(144_000)))
  expect(await context()).toBeNull()
  await follow(swarm)
  expect(await context()).toEqual({ tokens: 144_000, window: 200_000, percent: 72, estimated: false })
  fake.tell('end')
  await swarm.ended(run)
  await settle(swarm.world, run, 'ended')
  expect(await context()).toEqual({ tokens: 144_000, window: 200_000, percent: 72, estimated: false })
})

it('the end of a run reports the context window itself', async () => {
  const ends = {
    type: 'result',
    subtype: 'success',
    result: 'done',
    modelUsage: { 'claude-sonnet-4-5': { contextWindow: 1_000_000 } },
  }
  const { swarm, fake, run, context } = await speaking('claude', says(begins, turn(144_000), ends))
  fake.tell('end')
  await swarm.ended(run)
  await settle(swarm.world, run, 'ended')
  expect(await context()).toMatchObject({ tokens: 144_000, window: 1_000_000, percent: 14 })
})

it('the context is estimated as a quarter of the printed characters if a CLI does not report it', async () => {
  const line = lineOf('codex', 'thread.started')
  const { swarm, context } = await speaking('codex', says(line))
  await follow(swarm)
  expect(await context()).toEqual({
    tokens: Math.ceil((line.length + 1) / 4),
    window: 272_000,
    percent: 0,
    estimated: true,
  })
})

it('the context of a custom kind is estimated too, and a command has none', async () => {
  const fake = fakeCli('mine', `printf 'é%.0s' $(seq 400000)\n` + tells('spoken') + waitsFor('end'))
  const swarm = await openSwarm({
    config: 'agents: {default: mine, kinds: {mine: {command: [mine], prompt: stdin}}}\n',
  })
  await swarm.task({ title: 'Log in' })
  const run = await swarm.begin()
  await until('its words', () => fake.told('spoken'))
  await follow(swarm)
  expect((await swarm.agent(run.agentId)).context).toEqual({
    tokens: 100_000,
    window: 200_000,
    percent: 50,
    estimated: true,
  })
  await swarm.carryOut('echo hello')
  expect((await swarm.agent('implementer-2')).context).toBeNull()
})

it("codex's own thread file reports the context and the window", async () => {
  const home = temporaryFolder()
  vi.stubEnv('CODEX_HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const thread = '01a1fd25-8b85-7961-a61f-0bf99678c021'
  const day = new Date(Number.parseInt(thread.replaceAll('-', '').slice(0, 12), 16))
  const folder = join(
    home,
    'sessions',
    String(day.getFullYear()),
    String(day.getMonth() + 1).padStart(2, '0'),
    String(day.getDate()).padStart(2, '0'),
  )
  mkdirSync(folder, { recursive: true })
  const count = (tokens: number) =>
    JSON.stringify({
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { last_token_usage: { total_tokens: tokens }, model_context_window: 258_400 },
      },
    })
  const file = join(folder, `rollout-2026-11-21T08-12-00-${thread}.jsonl`)
  writeFileSync(file, `${count(1050)}\n${count(190_000)}\n{"type":"response_item"}\n${count(1)}`)
  const { swarm, context } = await speaking('codex', says(lineOf('codex', 'thread.started')))
  await follow(swarm)
  expect(await context()).toEqual({ tokens: 190_000, window: 258_400, percent: 74, estimated: false })
  writeFileSync(file, `${count(1050)}\n${count(190_000)}\n${count(20_000)}\n`)
  await follow(swarm)
  expect(await context()).toMatchObject({ tokens: 20_000 })
})

it("gemini's own session file reports the context", async () => {
  const home = temporaryFolder()
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const chats = join(home, '.gemini', 'tmp', 'a (repo)', 'chats')
  mkdirSync(chats, { recursive: true })
  writeFileSync(
    join(chats, 'session-2026-11-21T08-04-07cc2dbf.jsonl'),
    `{"sessionId":"07cc2dbf-d42b-44ae-9e71-0e9ecd54df89"}\n{"type":"gemini","tokens":{"input":5000,"output":50,"total":5050}}\n`,
  )
  const { swarm, context } = await speaking('gemini', says(lineOf('gemini', '"init"')))
  await follow(swarm)
  expect(await context()).toEqual({ tokens: 5050, window: 1_048_576, percent: 0, estimated: false })
})

it('an agent that registered itself has no known context', async () => {
  const { swarm } = await speaking('claude', says(begins))
  await perform(swarm.core, registerAgent, { id: 'guest', personaId: 'implementer' }, person)
  expect((await swarm.agent('guest')).context).toBeNull()
})
