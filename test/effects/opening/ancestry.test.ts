import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { agentAbove, starterAbove } from '../../../src/effects/opening/ancestry.ts'
import { identify } from '../../../src/effects/processes/identity.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import type { AgentRun } from '../../../src/operations/supervision/wishes.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { commit, openSwarm, read, until } from '../swarm.ts'

const main = resolve(import.meta.dirname, '../../../dist/main.js')

it('a test does not count as an agent', async () => {
  const swarm = await openSwarm()
  expect(await agentAbove(swarm.world)).toBeUndefined()
})

it.each([
  ['clears its environment', ''],
  ['also starts a session of its own', 'setsid -w '],
])('an agent that %s is still recognized', async (_, prefix) => {
  const swarm = await openSwarm()
  const said = join(swarm.root, '../said')
  await swarm.task({
    command: `${prefix}env -i PATH="$PATH" '${process.execPath}' '${main}' worktree undo > '${said}' 2>&1; true`,
  })
  await swarm.begin()
  await until('an answer', () => existsSync(said) && readFileSync(said, 'utf8').includes('\n'))
  expect(readFileSync(said, 'utf8')).toMatch(/Agent \S+ may not undo an integration; only a person may do it\./)
})

it('a process below the recorded process of a run is its agent, whatever the environment says, unless the process id was reused', () => {
  const identity = identify(process.ppid)!
  const above = (recorded: typeof identity | null) =>
    starterAbove('/nowhere', [{ agentId: 'dev-1', identity: recorded } as AgentRun])
  expect(above(identity)).toBe('agent dev-1')
  expect(above({ ...identity, startedAt: '1' })).toBeUndefined()
  expect(above(null)).toBeUndefined()
})

describe('an agent that registered itself and clears its environment is recognized', () => {
  /** The output of `worktree undo` from a shell with this environment, after these lines. */
  const answer = (root: string, environment: Record<string, string>, before = ''): string => {
    const script = `${before}\nenv -i PATH="$PATH" '${process.execPath}' '${main}' worktree undo 2>&1; true`
    return execFileSync('/bin/sh', ['-c', script], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...environment },
    })
  }

  it('by its own environment, even if that names no repository or another one', async () => {
    const { root } = await openSwarm()
    expect(answer(root, { AISWARM_AGENT_ID: 'mine' })).toBe(
      'Agent mine may not undo an integration; only a person may do it.\n',
    )
    expect(answer(root, { AISWARM_AGENT_ID: 'theirs', AISWARM_ROOT: '/another' })).toBe(
      'Agent theirs may not undo an integration; only a person may do it.\n',
    )
  })

  it('by the MCP server that it started, which is the only one that knows its identity', async () => {
    const swarm = await openSwarm()
    const { token } = await perform(swarm.core, registerAgent, { id: 'mine', personaId: 'implementer' }, person)
    const serve = `mkfifo ../in; AISWARM_AGENT_ID=mine AISWARM_AGENT_TOKEN=${token} '${process.execPath}' '${main}' mcp < ../in > /dev/null & exec 9> ../in`
    expect(answer(swarm.root, {}, serve)).toBe('Agent mine may not undo an integration; only a person may do it.\n')
    expect(answer(swarm.root, {})).toBe('Nothing was integrated yet; there is nothing to undo.\n')
  })
})

it('the code of a branch does not count as a person while its merge is verified', async () => {
  const verify = `setsid -w env -i PATH="$PATH" '${process.execPath}' '${main}' worktree undo > "$AISWARM_ROOT/../said" 2>&1; true`
  const swarm = await openSwarm({
    files: { 'README.md': 'a shop\n', '.aiswarm/config.yaml': `integration: {verify: ${JSON.stringify(verify)}}\n` },
  })
  commit(await swarm.build('auth'), { a: 'x' })
  await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  expect(read(swarm.root, '../said')).toBe(
    'The verification of auth may not undo an integration; only a person may do it.\n',
  )
})
