import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { act } from '../../../src/operations/door/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request-integration.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { outputPath } from '../../../src/effects/files/places.ts'
import { commit, git, openSwarm, read, until } from '../swarm.ts'
import { needs } from '../../support/needs.ts'
import { type Aims, attacks, withoutEffect } from './attacks.ts'

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  // Other tests write in the home that all share, and this one lists it.
  const home = mkdtempSync(join(homedir(), 'person-'))
  vi.stubEnv('HOME', home)
  return () => {
    vi.unstubAllEnvs()
    rmSync(home, { recursive: true, force: true })
  }
})

/** A file of the person's in its home and in the temporary folder. */
const secrets = (): { home: string; temporary: string } => {
  const home = homedir()
  mkdirSync(join(home, '.ssh'), { recursive: true })
  writeFileSync(join(home, '.ssh', 'id'), 'person')
  writeFileSync(join(home, 'token'), 'person')
  const folder = mkdtempSync('/tmp/aiswarm-person-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'note'), 'person\n')
  return { home, temporary: join(folder, 'note') }
}

const opened = async (config = '') => {
  const swarm = await openSwarm({ config: `session: {maxParallel: 3}\n${config}` })
  const [folder, other] = [await swarm.build('auth'), await swarm.build('other')]
  commit(folder, { 'a.txt': 'a' }, 'A')
  const person = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void person.kill('SIGKILL'))
  await swarm.task({ command: 'touch ready; sleep 600', targetWorktree: 'other' })
  const neighbour = await swarm.begin()
  await until('the other agent', () => existsSync(join(other, 'ready')))
  const { core, root } = swarm
  const token = core.launchToken(neighbour.agentId, neighbour.run)
  const aims: Aims = { root, folder, other, ...secrets(), pid: person.pid!, agent: neighbour.agentId, token }
  return { swarm, aims, person }
}

/** A shell script that runs each line, and says its number, its exit code and its last words. */
const scriptOf = (lines: readonly string[]): string =>
  lines
    .map(
      (line, at) =>
        `words=$( ( ${line} ) 2>&1 < /dev/null ); echo "#${at} $? $(echo "$words" | tail -1 | tr -d '\\0')"`,
    )
    .join('\n')

const resultsIn = (said: string, lines: readonly string[]) =>
  lines.map((line, at) => {
    const [, code, words = ''] = new RegExp(`^#${at} (\\d+) ?(.*)$`, 'm').exec(said) ?? []
    return { line, code: code === undefined ? 'not run' : Number(code), words }
  })

/** Runs the lines as one agent; returns for each its exit code and its last words. */
const run = async ({ swarm, aims }: Awaited<ReturnType<typeof opened>>, lines: readonly string[]) => {
  writeFileSync(join(aims.folder, 'attack.sh'), scriptOf(lines))
  const task = await swarm.carryOut('sh attack.sh; true', { targetWorktree: 'auth' })
  const said = read(outputPath(swarm.root, task.attempts.at(-1)!.agentId))
  return resultsIn(said, lines)
}

test('a hostile agent succeeds with none of its attacks', async () => {
  const swarm = await opened()
  const { aims, person } = swarm
  const before = stateOf(aims)
  const lines = Object.values(attacks(aims)).flat()
  expect(lines.length).toBeGreaterThan(120)
  const results = await run(swarm, lines)
  // Where a program of an attack is missing, the attack shows nothing.
  expect(results.filter(({ code }) => code === 0 || code === 'not run' || code === 127)).toEqual([])
  expect(stateOf(aims)).toEqual(before)
  expect(person.exitCode ?? person.signalCode).toBe(null)
  expect(await swarm.swarm.task({ title: 'The board answers' })).toMatchObject({ status: 'pending' })
})

/** All attacks; what an agent may do in its own worktree, code of a branch may in its checkout. */
const ofBranch = (aims: Aims): readonly string[] =>
  Object.values({
    ...attacks(aims),
    'the command aiswarm': ['aiswarm task list', 'aiswarm worktree approve auth'],
  }).flat()

test('a hostile verification succeeds with none of its attacks', async () => {
  const { swarm, aims, person } = await opened("integration: {verify: 'sh attack.sh; true'}")
  const lines = ofBranch(aims)
  commit(aims.folder, { 'attack.sh': scriptOf(lines) }, 'Attack')
  const before = stateOf(aims)
  const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  const results = resultsIn(read(integration!.verification!.log), lines)
  expect(results.filter(({ code }) => code === 0 || code === 'not run')).toEqual([])
  expect(stateOf(aims)).toEqual(before)
  expect(person.exitCode ?? person.signalCode).toBe(null)
})

test('a hostile setup succeeds with none of its attacks', async () => {
  const { swarm, aims, person } = await opened("worktrees: {setup: 'test ! -e attack.sh || sh attack.sh; true'}")
  const lines = ofBranch(aims)
  commit(swarm.root, { 'attack.sh': scriptOf(lines) }, 'Attack')
  const before = stateOf(aims)
  await swarm.build('third')
  const results = resultsIn(read(swarm.root, '.aiswarm/logs/setup-third.log'), lines)
  expect(results.filter(({ code }) => code === 0 || code === 'not run')).toEqual([])
  expect(stateOf(aims)).toEqual(before)
  expect(person.exitCode ?? person.signalCode).toBe(null)
})

test('a hostile agent changes only its own copies', async () => {
  const swarm = await opened()
  const before = stateOf(swarm.aims)
  const results = await run(swarm, withoutEffect(swarm.aims))
  expect(results.filter(({ code }) => code === 'not run')).toEqual([])
  expect(stateOf(swarm.aims)).toEqual(before)
  expect(existsSync('/tmp/evil')).toBe(false)
  expect(processes('sleep\x00913377\x00')).toEqual([])
})

/** Everything outside of the worktree of the agent that an attack aims at. */
const stateOf = ({ root, other, home, temporary }: Aims) => ({
  refs: git(
    root,
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads/main',
    'refs/heads/feature/other',
    'refs/heads/mine',
    'refs/heads/way',
    'refs/tags',
    'refs/remotes',
    'refs/replace',
  ),
  config: readFileSync(join(root, '.git', 'config'), 'utf8'),
  folder: readdirSync(join(root, '.git')).filter((name) => !/^(?:index|aiswarm|ORIG_HEAD|COMMIT_EDITMSG)/.test(name)),
  hooks: existsSync(join(root, '.git/hooks')) ? readdirSync(join(root, '.git/hooks')) : [],
  status: git(root, 'status', '--short'),
  other: git(other, 'status', '--short'),
  configuration: readFileSync(join(root, '.aiswarm/config.yaml'), 'utf8'),
  home: readdirSync(home).sort(),
  note: readFileSync(temporary, 'utf8'),
})

const processes = (command: string): readonly string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') === command
    } catch {
      return false
    }
  })
