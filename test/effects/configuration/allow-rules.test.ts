import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { insertRequest } from '../../../src/db/requests.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { CONFIGURATION } from '../../../src/domain/integration/trusted-configuration.ts'
import { writeRule } from '../../../src/effects/configuration/allow-rules.ts'
import { readSettings } from '../../../src/effects/configuration/config.ts'
import { outsideOf } from '../../../src/effects/opening/outside.ts'
import { jobsOf } from '../../../src/effects/loops/jobs.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import type { World } from '../../../src/effects/world.ts'
import { answerRequest } from '../../../src/operations/requests/answers.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { getRequest } from '../../../src/operations/requests/requests.ts'
import { readGuard } from '../../../src/operations/integration/configuration.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { openSwarm } from '../swarm.ts'
import { needs } from '../../support/needs.ts'

/** An agent has asked to run the tests. */
const openAsked = async () => {
  const swarm = await openSwarm()
  await perform(swarm.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
  await swarm.core.store.write((db) =>
    insertRequest(db, {
      kind: 'permission',
      agent_id: 'backend-1',
      tool: 'Bash',
      subject: 'npm test',
      rule: 'shell(npm test)',
      asked_at: swarm.core.clock(),
    }),
  )
  return {
    swarm,
    config: swarm.path('.aiswarm', 'config.yaml'),
    folder: swarm.path('.aiswarm'),
    always: () => act(swarm.connection, answerRequest, { requestId: 1, verdict: 'always' }),
    status: async () => (await perform(swarm.core, getRequest, { requestId: 1 }, person)).status,
  }
}

it.each([
  ['is not YAML', 'agents: [\n', ':2: '],
  [
    'has an invalid value',
    'agents:\n  personas:\n    implementer:\n      approvals: never\n',
    ':3: agents.personas.implementer',
  ],
  ['is a list', '- agents\n', ':1: the file: '],
])(
  'a request stays open while the configuration %s, and is answered once that is repaired',
  async (_, broken, place) => {
    const { config, always, status } = await openAsked()
    writeFileSync(config, broken)
    const { code, message } = await refusal(always())
    expect(code).toBe('config_invalid')
    expect(message).toContain(`${config}${place}`)
    expect(message).toMatch(/\. The rule shell\(npm test\) was not added; fix the file first\.$/)
    expect(readFileSync(config, 'utf8')).toBe(broken)
    expect(await status()).toBe('open')
    writeFileSync(config, '')
    expect(await always()).toMatchObject({ status: 'allowed', answer: 'always' })
    expect(readFileSync(config, 'utf8')).toContain('- shell(npm test)')
  },
)

it('a request stays open while the configuration cannot be written', async (context) => {
  needs(context, process.getuid?.() !== 0, 'root may write everywhere')
  const { config, folder, always, status } = await openAsked()
  chmodSync(folder, 0o555)
  try {
    const { code, message } = await refusal(always())
    expect([code, message]).toEqual([
      'not_writable',
      `${config} cannot be written, so the rule shell(npm test) was not added to it.`,
    ])
  } finally {
    chmodSync(folder, 0o755)
  }
  expect(await status()).toBe('open')
})

it('a rule of a person on another host is written by the first host, at once or when it runs again', async () => {
  const { swarm, config, status } = await openAsked()
  const other = await swarm.open()
  const world: World = { ...other, core: { ...other.core, host: 'bbbbbbbb', root: temporaryFolder() } }
  const connection = { core: world.core, actor: person, outside: outsideOf(world) }
  await act(connection, answerRequest, { requestId: 1, verdict: 'always' })
  expect(await status()).toBe('allowed')
  expect(existsSync(config)).toBe(false)
  await swarm.turn()
  expect(readFileSync(config, 'utf8')).toContain('- shell(npm test)')
  expect((await perform(swarm.core, readGuard, {}, person))!.entries[CONFIGURATION]).toContain('shell(npm test)')
  // Once, so that a person can remove it.
  writeFileSync(config, '')
  await swarm.turn()
  expect(readFileSync(config, 'utf8')).toBe('')
})

it('a rule is written once, also if two processes have seen that it is wanted', async () => {
  const { swarm, config, status } = await openAsked()
  const other = await swarm.open()
  const away: World = { ...other, core: { ...other.core, host: 'bbbbbbbb', root: temporaryFolder() } }
  await act({ core: away.core, actor: person, outside: outsideOf(away) }, answerRequest, {
    requestId: 1,
    verdict: 'always',
  })
  expect(await status()).toBe('allowed')
  const wishes = await wishesOf(swarm.world)
  const [one, two] = [jobsOf(swarm.world, wishes, new Map(), 0), jobsOf(other, wishes, new Map(), 0)].map((jobs) =>
    jobs.find(({ key }) => key === 'rule:1'),
  )
  await one!.run()
  expect(readFileSync(config, 'utf8')).toContain('- shell(npm test)')
  // A person removes it before the second process comes to it.
  writeFileSync(config, '')
  await two!.run()
  expect(readFileSync(config, 'utf8')).toBe('')
})

const ready = async (path: string, name: string): Promise<ChildProcess> => {
  const writer = spawn(
    process.execPath,
    [resolve(import.meta.dirname, '../../fixtures/rule-writer.ts'), path, name, '30'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void writer.kill('SIGKILL'))
  await once(writer.stdout, 'data')
  return writer
}

it('a rule is never lost if several processes add rules at the same time', async () => {
  const path = join(temporaryFolder(), 'config.yaml')
  writeFileSync(path, '# mine\n')
  const names = ['one', 'two', 'three']
  const writers = await Promise.all(names.map((name) => ready(path, name)))
  const ends = writers.map((writer) => once(writer, 'exit'))
  writers.forEach((writer) => writer.stdin!.write('go\n'))
  expect((await Promise.all(ends)).map(([code]) => code as number)).toEqual([0, 0, 0])
  const wanted = names.flatMap((name) => Array.from({ length: 30 }, (_, n) => `shell(${name} ${n + 1})`))
  expect([...readSettings(path).settings.agents.personas['implementer']!.allow].sort()).toEqual(wanted.sort())
})

it('the configuration file keeps its mode, and a link keeps its target', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'config.yaml')
  const target = join(folder, 'elsewhere', 'aiswarm.yaml')
  mkdirSync(join(folder, 'elsewhere'))
  writeFileSync(path, '# mine\n')
  chmodSync(path, 0o600)
  renameSync(path, target)
  symlinkSync(target, path)
  writeRule(path, 'implementer', 'shell(npm test)')
  expect([lstatSync(path).isSymbolicLink(), statSync(target).mode & 0o777]).toEqual([true, 0o600])
  expect(readFileSync(target, 'utf8')).toMatch(/^# mine\n[^]*shell\(npm test\)/)
})
