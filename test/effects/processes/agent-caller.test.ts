import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { migrations } from '../../support/core.ts'
import { openSwarm, type Swarm } from '../swarm.ts'

const fixture = resolve(import.meta.dirname, '../../fixtures/below-agent.ts')
const main = resolve(import.meta.dirname, '../../../dist/main.js')

/** The output of an agent's script; the agent's shell stays above everything that the script starts. */
const asAgent = async (swarm: Swarm, script: string): Promise<string> => {
  const { token } = await perform(swarm.core, registerAgent, { id: 'mine', personaId: 'implementer' }, person)
  const environment = {
    PATH: process.env['PATH'],
    AISWARM_ROOT: swarm.root,
    AISWARM_AGENT_ID: 'mine',
    AISWARM_AGENT_TOKEN: token,
  }
  return execFileSync('/bin/sh', ['-c', `${script}; true`], {
    cwd: swarm.root,
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

const disguises = [
  ['without its environment', 'env -i PATH="$PATH"'],
  ['under another root', 'env AISWARM_ROOT=/elsewhere'],
  [
    'without its variables, under another root',
    'env -u AISWARM_AGENT_ID -u AISWARM_AGENT_TOKEN AISWARM_ROOT=/elsewhere',
  ],
  ['in a session of its own', 'setsid -w env -i PATH="$PATH"'],
] as const

/** Commands that open no database have no door. Working memory protects agents from mistakes, not from fraud. */
const doorless = [
  'completion',
  'session check',
  ...[
    'archive',
    'blocker',
    'complete',
    'context',
    'decision',
    'hygiene',
    'keyfact',
    'observation',
    'plan',
    'resolve',
    'resolve-blocker',
    'show',
    'step',
  ].map((verb) => `memory ${verb}`),
]
/** Commands whose service takes the repository, and that service. */
const ofTheirOwn: Readonly<Record<string, string>> = {
  tui: 'openConsole',
  // Reads the repository before it writes; an agent and a pipe are asked nothing.
  init: 'proposeStart',
  demo: 'demo',
  run: 'supervise',
  mcp: 'serveMcp',
  doctor: 'diagnose',
  'db status': 'openDatabase',
  'db backup': 'openDatabase',
  'db check': 'openDatabase',
  'db restore': 'restoreDatabase',
  'db copy': 'copyBoard',
  'db migrate': 'migrateBoard',
  'fleet init': 'copyBoard',
  'fleet join': 'joinFleet',
  'fleet restored': 'restoreFleet',
  worker: 'work',
}

describe('an agent that calls aiswarm', () => {
  it.each(disguises)('%s is a client for every command', async (_, prefix) => {
    const swarm = await openSwarm({ config: 'session: {maxParallel: 1}\n' })
    const found = JSON.parse(
      await asAgent(
        swarm,
        `${prefix} '${process.execPath}' --experimental-transform-types --no-warnings '${fixture}' '${swarm.root}' '${migrations}'`,
      ),
    ) as Record<string, string>
    expect(Object.keys(found).length).toBeGreaterThan(90)
    const wanted = (path: string): string => ofTheirOwn[path] ?? (doorless.includes(path) ? '' : 'client')
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((path) => [path, wanted(path)])))
  })

  it.each(disguises)('%s creates no command that runs without approval, and registers no agent', async (_, prefix) => {
    const swarm = await openSwarm()
    const call = (words: string): string => `${prefix} '${process.execPath}' '${main}' ${words} 2>&1`
    const said = await asAgent(
      swarm,
      `${call("task add x --persona implementer --command 'touch ../pwned'")}; ${call('agent register boss --persona planner')}`,
    )
    expect(said).toContain('Agent mine may not register agent; only a planner or a person may do it.')
    expect(await swarm.show(1)).toMatchObject({ commandAllowed: false })
  })

  it.each(disguises)('%s cannot replace the database', async (_, prefix) => {
    const swarm = await openSwarm()
    expect(await asAgent(swarm, `${prefix} '${process.execPath}' '${main}' db restore /dev/null 2>&1`)).toBe(
      'Agent mine may not replace the database; only a person may do it.\n',
    )
  })

  it.each(disguises)('%s cannot say that the board was restored', async (_, prefix) => {
    const swarm = await openSwarm()
    expect(await asAgent(swarm, `${prefix} '${process.execPath}' '${main}' fleet restored --yes 2>&1`)).toBe(
      'Agent mine may not say that the board was restored; only a person may do it.\n',
    )
  })

  it('cannot register a planner over an MCP server that it starts', async () => {
    const swarm = await openSwarm()
    const lines = [
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"register_agent","arguments":{"id":"boss","personaId":"planner"}}}',
    ]
    const said = await asAgent(
      swarm,
      `(printf '%s\\n' ${lines.map((line) => `'${line}'`).join(' ')}; sleep 2) | env -i PATH="$PATH" '${process.execPath}' '${main}' mcp --as planner 2>&1`,
    )
    expect(said).toContain('an agent started this server, so it does not serve as a planner')
    expect(said).toContain('Agent mine may not register agent; only a planner or a person may do it.')
  })
})

it('every service of the program that opens a repository checks the caller at the door', () => {
  const source = readFileSync(resolve(import.meta.dirname, '../../../src/main.ts'), 'utf8')
  const services = source.slice(source.indexOf('const services: Services'))
  // `init` and the console call a function that does.
  const opened = [...services.matchAll(/await openWorld\(/g)].length
  const entered = [...services.matchAll(/connect\((?:world|await openWorld)|openConsole\(await openWorld/g)].length
  expect(entered).toBe(opened)
})
