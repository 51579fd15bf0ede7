import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { commit, git, read } from '../swarm.ts'
import { notRefused, openAttacked, resultsIn, runAttacks, scriptOf } from './attackers.ts'
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

test('a hostile agent succeeds with none of its attacks', { timeout: 600_000 }, async () => {
  const swarm = await openAttacked()
  const { aims, person } = swarm
  const before = stateOf(aims)
  const groups = Object.values(attacks(aims))
  expect(groups.flat().length).toBeGreaterThan(120)
  // Each by an agent of its own, since some take its own files away.
  for (const lines of groups) expect(notRefused(await runAttacks(swarm, lines))).toEqual([])
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
  const { swarm, aims, person } = await openAttacked("integration: {verify: 'sh attack.sh; true'}")
  const lines = ofBranch(aims)
  commit(aims.folder, { 'attack.sh': scriptOf(lines) }, 'Attack')
  const before = stateOf(aims)
  const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  const results = resultsIn(read(integration!.verification!.log), lines)
  expect(notRefused(results)).toEqual([])
  expect(stateOf(aims)).toEqual(before)
  expect(person.exitCode ?? person.signalCode).toBe(null)
})

test('a hostile setup succeeds with none of its attacks', async () => {
  const { swarm, aims, person } = await openAttacked("worktrees: {setup: 'test ! -e attack.sh || sh attack.sh; true'}")
  const lines = ofBranch(aims)
  commit(swarm.root, { 'attack.sh': scriptOf(lines) }, 'Attack')
  const before = stateOf(aims)
  await swarm.build('third')
  const results = resultsIn(read(swarm.root, '.aiswarm/logs/setup-third.log'), lines)
  expect(notRefused(results)).toEqual([])
  expect(stateOf(aims)).toEqual(before)
  expect(person.exitCode ?? person.signalCode).toBe(null)
})

test('a hostile agent changes only its own copies', async () => {
  const swarm = await openAttacked()
  const before = stateOf(swarm.aims)
  const results = await runAttacks(swarm, withoutEffect(swarm.aims))
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
